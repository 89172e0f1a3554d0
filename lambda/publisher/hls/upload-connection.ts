// The one connection to a destination, over which all files are uploaded one after the other.
import { Agent, request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { callbackify } from 'node:util';
import { SentTooMuch } from '../../ports/outbound/bounded-tls.ts';
import { boundInterimAnswers } from '../../ports/outbound/checked-request.ts';
import type { PublishServer } from '../../domain/destinations/ways/way-out.ts';
import { DestinationError } from '../destination/destination-error.ts';
import { openDestinationSocket } from '../destination/destination-socket.ts';
import type { DestinationSocketOptions } from '../destination/destination-socket.ts';

/** The form that YouTube asks for: manufacturer, model, version. */
const userAgent = 'loop-streaming / publisher / 1.0';
/** Time for a new connection, after the first was lost. */
const connectTimeoutMs = 10_000;
/** Limit of an answer: only its status is used. */
const maxAnswerBytes = 64 * 1024;

export interface Upload {
  readonly url: string;
  readonly contentType: string;
  readonly body: readonly Buffer[];
}

export class UploadConnection {
  readonly #agent: DestinationAgent;
  readonly #host: PublishServer;

  private constructor(host: PublishServer, agent: DestinationAgent) {
    this.#host = host;
    this.#agent = agent;
  }

  /** @throws {DestinationError} as openDestinationSocket; the signal's reason */
  static async open(
    host: PublishServer,
    options: DestinationSocketOptions,
    signal: AbortSignal,
  ): Promise<UploadConnection> {
    const agent = new DestinationAgent(host, options);
    await agent.open(signal);
    return new UploadConnection(host, agent);
  }

  /**
   * Uploads a file with PUT.
   * @returns the status of the answer
   * @throws {DestinationError} connection_lost, protocol_violated, or as openDestinationSocket if a new connection was
   * needed
   */
  async put({ url, contentType, body }: Upload, signal: AbortSignal): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const { host, pathname, search } = new URL(url);
    const request = requestHttp({
      method: 'PUT',
      host: this.#host.hostname,
      port: this.#host.port,
      path: pathname + search,
      agent: this.#agent,
      headers: {
        host,
        'user-agent': userAgent,
        'content-type': contentType,
        'content-length': body.reduce((sum, { length }) => sum + length, 0),
      },
      signal,
    });
    boundInterimAnswers(request).once('response', (response) => {
      readWhole(response, request.destroy.bind(request));
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', (error) => reject(failureOf(error)));
    request.once('close', () => reject(new DestinationError('connection_lost')));
    for (const bytes of body) request.write(bytes);
    request.end();
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function failureOf(error: Error): DestinationError {
  if (error instanceof DestinationError) return error;
  return new DestinationError(error instanceof SentTooMuch ? 'protocol_violated' : 'connection_lost', error);
}

/** Reads an answer to its end, so that the connection can be used again. Gives up on an answer that is too long. */
function readWhole(response: IncomingMessage, giveUp: (error: Error) => void): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) giveUp(new SentTooMuch());
  });
}

/** Keeps one connection. It is opened to a checked address with verified TLS, as for other ways out. */
class DestinationAgent extends Agent {
  readonly #host: PublishServer;
  readonly #options: DestinationSocketOptions;
  readonly #ending = new AbortController();
  #opened: Duplex | null = null;

  constructor(host: PublishServer, options: DestinationSocketOptions) {
    super({ keepAlive: true, maxSockets: 1 });
    this.#host = host;
    this.#options = options;
  }

  /** Opens the connection for the first request. */
  async open(signal: AbortSignal): Promise<void> {
    this.#opened = await this.#connect(signal);
    // Without a listener, a reset before the first request would end the process.
    this.#opened.on('error', () => {});
  }

  override createConnection(_options: unknown, callback?: (error: Error | null, stream: Duplex) => void): undefined {
    const opened = this.#opened;
    this.#opened = null;
    const isOpen = opened && !opened.destroyed;
    const connect = async () => {
      if (isOpen) return opened;
      return this.#connect(AbortSignal.any([this.#ending.signal, AbortSignal.timeout(connectTimeoutMs)]));
    };
    callbackify(connect)((error, stream) => callback!(error, stream));
    return undefined;
  }

  override destroy(): void {
    this.#ending.abort();
    this.#opened?.destroy();
    super.destroy();
  }

  #connect(signal: AbortSignal): Promise<Duplex> {
    return openDestinationSocket(this.#host, this.#options, signal);
  }
}
