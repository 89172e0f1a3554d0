// Calls the REST API by the SDK, and turns its refusals into failures.
import {
  call as callAPI,
  LoopProblem,
  resumeUpload,
  retryingFetch,
  rowsOf,
} from '../../lambda/surfaces/sdk/typescript/loop.ts';
import type { Page } from '../../lambda/surfaces/sdk/typescript/loop.ts';
import { failureOf, LoopFailure } from './failure.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface CallOptions {
  /** A key that makes repetitions harmless, also of a later process; undefined: a new one. Only for POST. */
  readonly idempotencyKey?: string | undefined;
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
  /** Sends the missing parts of an upload, and completes it. @throws {LoopFailure} */
  sendParts(uploadID: string, path: string, onProgress: (bytes: number) => void): Promise<void>;
}

export interface Access {
  readonly apiURL: string;
  /** The headers of a request that prove who asks. @throws {LoopFailure} */
  headers(): Promise<Readonly<Record<string, string>>>;
}

const usualAttempts = 6;
const pageRows = 100;

/** @param attempts of each request, including the first: six take about half a minute */
export function createClient(access: Access, attempts = usualAttempts): Client {
  const send = retryingFetch(attempts, async (headers) => {
    for (const [name, value] of Object.entries(await access.headers())) headers.set(name, value);
  });
  // The credential comes with each attempt.
  const connection = { apiURL: access.apiURL, headers: {}, fetch: send };
  const call: Client['call'] = (method, path, body, { isRepeatable, idempotencyKey } = {}) =>
    answered(access.apiURL, () => callAPI(connection, method, path, body, isRepeatable ? '' : idempotencyKey));
  return {
    apiURL: access.apiURL,
    call,
    async all<Row>(path: string) {
      const list = `${path}${path.includes('?') ? '&' : '?'}limit=${pageRows}`;
      const read = (cursor: string | undefined) =>
        call<Page<Row>>('GET', cursor === undefined ? list : `${list}&cursor=${encodeURIComponent(cursor)}`);
      const rows: Row[] = [];
      for await (const row of rowsOf(read)) rows.push(row);
      return rows;
    },
    sendParts: (uploadID, path, onProgress) =>
      answered(access.apiURL, () => resumeUpload(connection, uploadID, path, { onProgress })),
  };
}

/** The result of requests, whose refusals and other faults become failures. */
async function answered<Answer>(apiURL: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof LoopFailure) throw error;
    if (error instanceof LoopProblem)
      throw failureOf({ ...error.document, code: error.code, detail: error.remedy, status: error.status });
    // Requests without an answer throw TypeErrors.
    if (error instanceof TypeError || (error as Error).name === 'TimeoutError')
      throw new LoopFailure('unreachable', `${apiURL} does not answer. Check the address and the network.`);
    throw new LoopFailure('refused', (error as Error).message);
  }
}
