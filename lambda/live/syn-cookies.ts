// Cookies of SRT's handshake: they prove the address of a caller, and cost no memory.
import { createHmac, randomBytes } from 'node:crypto';

const minuteMs = 60_000;

export class SynCookies {
  readonly #secret = randomBytes(32);

  /** The cookie of an address and port in the current minute: 32 bits. */
  cookieFor(address: string, port: number, nowMs: number): number {
    return this.#cookie(address, port, Math.floor(nowMs / minuteMs));
  }

  /** Whether a cookie was made for the address and port, in this minute or the one before. */
  isValid(cookie: number, address: string, port: number, nowMs: number): boolean {
    const minute = Math.floor(nowMs / minuteMs);
    return [minute, minute - 1].some((each) => this.#cookie(address, port, each) === cookie);
  }

  #cookie(address: string, port: number, minute: number): number {
    return createHmac('sha256', this.#secret).update(`${address} ${port} ${minute}`).digest().readUInt32BE();
  }
}
