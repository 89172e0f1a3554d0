// Calls the REST API: tries again what may pass, and turns refusals into failures.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { failureOf, LoopFailure } from './failure.ts';
import type { Problem } from './failure.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface CallOptions {
  /** A key that makes repetitions harmless, also of a later process; undefined: a new one. Only for POST. */
  readonly idempotencyKey?: string;
  /** Whether it may run twice without harm: then it needs no key, and users have a quota of keys. */
  readonly isRepeatable?: boolean;
}

export interface Client {
  /** Base URL of the API, ending in /v1. */
  readonly apiURL: string;
  /** @throws {LoopFailure} */
  call<Answer>(method: Method, path: string, body?: object, options?: CallOptions): Promise<Answer>;
  /** All rows of a list, page by page. @throws {LoopFailure} */
  all<Row>(path: string): Promise<readonly Row[]>;
}

export interface Access {
  readonly apiURL: string;
  /** The headers of a request that prove who asks. @throws {LoopFailure} */
  headers(): Promise<Readonly<Record<string, string>>>;
}

const attempts = 6;
const firstPauseMs = 250;
const longestPauseMs = 30_000;
const timeoutMs = 60_000;
const pageRows = 100;

export function createClient(access: Access): Client {
  const call: Client['call'] = async <Answer>(
    method: Method,
    path: string,
    body?: object,
    options: CallOptions = {},
  ): Promise<Answer> => {
    const key = options.idempotencyKey ?? (options.isRepeatable ? undefined : randomUUID());
    for (let attempt = 1; ; attempt++) {
      const headers = {
        accept: 'application/json',
        ...(await access.headers()),
        ...(body && { 'content-type': 'application/json' }),
        ...(method === 'POST' && key !== undefined && { 'idempotency-key': key }),
      };
      const signal = AbortSignal.timeout(timeoutMs);
      const init = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(access.apiURL + path, init).catch((error: unknown) => error as Error);
      if (!(response instanceof Error) && response.status === 204) return undefined as Answer;
      const answer = response instanceof Error ? null : ((await response.json().catch(() => null)) as Answer | null);
      if (!(response instanceof Error) && response.ok && answer !== null) return answer;
      const failure = response instanceof Error ? unreachable(access.apiURL) : refusal(response.status, answer);
      const mayPass = failure.kind === 'unreachable' || failure.problem?.code === 'idempotency_in_progress';
      if (!mayPass || attempt === attempts) throw failure;
      const named = response instanceof Error ? 0 : Number(response.headers.get('retry-after') ?? 0) * 1000;
      await setTimeout(Math.min(Math.max(named, firstPauseMs * 2 ** attempt), longestPauseMs));
    }
  };
  return {
    apiURL: access.apiURL,
    call,
    async all<Row>(path: string) {
      const rows: Row[] = [];
      const joint = path.includes('?') ? '&' : '?';
      for (let cursor = ''; ;) {
        const { data, page } = await call<{ data: Row[]; page?: { hasMore: boolean; nextCursor: string } }>(
          'GET',
          `${path}${joint}limit=${pageRows}${cursor}`,
        );
        rows.push(...data);
        if (!page?.hasMore) return rows;
        cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
      }
    },
  };
}

function unreachable(apiURL: string): LoopFailure {
  return new LoopFailure('unreachable', `${apiURL} does not answer. Check the address and the network.`);
}

function refusal(status: number, answer: unknown): LoopFailure {
  const problem = answer as Partial<Problem> | null;
  return typeof problem?.detail === 'string'
    ? failureOf({ code: '', ...problem, detail: problem.detail, status })
    : failureOf({ status, code: '', detail: `The platform answered with status ${status}, and no reason.` });
}
