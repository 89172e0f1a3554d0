// Sends the requests of one scan of a source: each hop to a checked address, and all of them within limits.
import type { IncomingMessage } from 'node:http';
import { faultOfImportURL } from '../../domain/sources/import-url.ts';
import { scanBounds } from '../../domain/sources/source-scan.ts';
import { httpRequest } from '../http-request.ts';
import type { Asked, RequestOptions } from '../http-request.ts';
import { ScanError } from './scan-error.ts';

export type ListingOptions = Omit<RequestOptions, 'answerMs'>;

const tagBegins = '<'.charCodeAt(0);
const valueBegins = '='.charCodeAt(0);

export class ListingRequests {
  readonly #options: ListingOptions;
  readonly #signal: AbortSignal;
  #requests = 0;
  #bytes = 0;
  #marks = 0;

  /** @param signal ends requests under way */
  constructor(options: ListingOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /**
   * Sends a request, and follows redirects.
   * @param secret headers for the server of the URL only
   * @returns the answer, and the URL at which the redirects ended
   * @throws {ScanError} @throws {ImportError} if there is no answer
   */
  async send(to: URL, asked: Asked, secret: Readonly<Record<string, string>> = {}) {
    let url: URL | null = to;
    for (let hops = 0; hops <= scanBounds.redirects; hops++) {
      const fault: ReturnType<typeof faultOfImportURL> = url && faultOfImportURL(url.href, this.#options);
      if (!url || fault === 'malformed') throw new ScanError('redirect_malformed');
      if (fault === 'forbidden') throw new ScanError('address_forbidden');
      this.#count();
      const headers = { ...asked.headers, ...(url.origin === to.origin && secret) };
      const options = { ...this.#options, answerMs: scanBounds.answerMs };
      const answer: IncomingMessage = await httpRequest(url, { ...asked, headers }, options, this.#signal);
      const { statusCode: status = 0, headers: given } = answer;
      if (![301, 302, 303, 307, 308].includes(status) || given.location === undefined)
        return { status, headers: given, body: this.#measured(await this.#read(answer)), url };
      answer.destroy();
      url = URL.parse(given.location, url.href);
    }
    throw new ScanError('too_many_redirects');
  }

  #count(): void {
    this.#requests += 1;
    if (this.#requests > scanBounds.requests)
      throw new ScanError('answer_too_large', { seen: `It takes more than ${scanBounds.requests} requests.` });
  }

  /** Refuses markup before a parser spends seconds on it. */
  #measured(body: Buffer): Buffer {
    for (const byte of body) if (byte === tagBegins || byte === valueBegins) this.#marks += 1;
    if (this.#marks > scanBounds.marks) throw new ScanError('answer_too_large');
    return body;
  }

  async #read(answer: IncomingMessage): Promise<Buffer> {
    if (!/^(?:identity)?$/i.test(answer.headers['content-encoding']?.trim() ?? '')) {
      answer.destroy();
      throw new ScanError('answer_malformed', { seen: 'It answers with compressed content.' });
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        this.#bytes += chunk.length;
        if (bytes > scanBounds.bytesOfAnswer || this.#bytes > scanBounds.bytesOfAnswers)
          throw new ScanError('answer_too_large');
        chunks.push(chunk);
      }
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error instanceof ScanError ? error : new ScanError('source_unreachable', { cause: error });
    } finally {
      answer.destroy();
    }
    return Buffer.concat(chunks);
  }
}
