// Calls the platform by its public API, like any client.

// oxlint-disable-next-line typescript/no-explicit-any -- answers of the API; their fields are checked by use
export type Answer = any;

export interface PlatformClient {
  /**
   * @param idempotencyKey for requests that must not run twice
   * @throws {Refused} for any status but 2xx; the error of fetch if there is no answer in time
   */
  ask(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Answer>;
}

export interface PlatformClientOptions {
  /** The base URL of the API, with its version. */
  readonly apiURL: string;
  readonly apiKey: string;
  /** The time limit of an answer. */
  readonly timeoutMs: number;
}

/** The platform answered with a status other than 2xx. */
export class Refused extends Error {
  readonly status: number;

  constructor(request: string, status: number, text: string) {
    super(`${request}: ${status} ${text.slice(0, 500)}`);
    this.name = 'Refused';
    this.status = status;
  }
}

export function createPlatformClient({ apiURL, apiKey, timeoutMs }: PlatformClientOptions): PlatformClient {
  return {
    async ask(method, path, body, idempotencyKey) {
      const response = await fetch(apiURL + path, {
        method,
        headers: {
          'x-api-key': apiKey,
          ...(body && { 'content-type': 'application/json' }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      if (!response.ok) throw new Refused(`${method} ${path}`, response.status, text);
      return text === '' ? undefined : JSON.parse(text);
    },
  };
}
