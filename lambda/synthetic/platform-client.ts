// Asks the platform over its public API, as any client does.

// oxlint-disable-next-line typescript/no-explicit-any -- answers of the API; what is read of them is checked by use
export type Answer = any;

export interface PlatformClient {
  /**
   * @param idempotencyKey for what must not be made twice
   * @throws {Refused} for any answer but 2xx; fetch's error where none comes, or none in time
   */
  ask(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Answer>;
}

export interface PlatformClientOptions {
  /** Ends with the version of the API. */
  readonly apiURL: string;
  readonly apiKey: string;
  /** How long an answer may take. */
  readonly timeoutMs: number;
}

/** The platform has answered, and not with what was asked for. */
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
