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

export interface Access {
  readonly apiURL: string;
  /** The headers of a request that prove who asks. @throws {LoopFailure} */
  headers(): Promise<Readonly<Record<string, string>>>;
}

const usualAttempts = 6;
const pageRows = 100;

export type Client = ReturnType<typeof createClient>;

/** @param attempts of each request, including the first: six take about half a minute */
export function createClient(access: Access, attempts = usualAttempts) {
  const { apiURL } = access;
  const send = retryingFetch(attempts, async (headers) => {
    for (const [name, value] of Object.entries(await access.headers())) headers.set(name, value);
  });
  // The credential comes with each attempt.
  const connection = { apiURL, headers: {}, fetch: send };
  const client = {
    /** Base URL of the API, ending in /v1. */
    apiURL,
    /** @throws {LoopFailure} */
    async call<Answer>(method: Method, path: string, body?: object, options: CallOptions = {}): Promise<Answer> {
      const key = options.isRepeatable ? '' : options.idempotencyKey;
      return await callAPI<Answer>(connection, method, path, body, key).catch(failed);
    },
    /** All rows of a list, page by page. @throws {LoopFailure} */
    async all<Row>(path: string): Promise<readonly Row[]> {
      const list = `${path}${path.includes('?') ? '&' : '?'}limit=${pageRows}`;
      const read = (cursor: string | undefined) =>
        client.call<Page<Row>>('GET', cursor === undefined ? list : `${list}&cursor=${encodeURIComponent(cursor)}`);
      const rows: Row[] = [];
      for await (const row of rowsOf(read)) rows.push(row);
      return rows;
    },
    /** Sends the missing parts of an upload, and completes it. @throws {LoopFailure} */
    async sendParts(uploadID: string, path: string, onProgress: (bytes: number) => void): Promise<void> {
      await resumeUpload(connection, uploadID, path, { onProgress }).catch(failed);
    },
  };
  /** Turns refusals and other faults into failures. */
  function failed(error: unknown): never {
    if (error instanceof LoopFailure) throw error;
    if (error instanceof LoopProblem)
      throw failureOf({ ...error.document, code: error.code, detail: error.remedy, status: error.status });
    // Requests without an answer throw TypeErrors.
    if (error instanceof TypeError || (error as Error).name === 'TimeoutError')
      throw new LoopFailure('unreachable', `${apiURL} does not answer. Check the address and the network.`);
    throw new LoopFailure('refused', (error as Error).message);
  }
  return client;
}
