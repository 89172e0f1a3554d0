// Publishes one stream over SRT, as the caller of a listener.
import { parseSrtURL } from '../../domain/destinations/ways/srt.ts';
import { DestinationError } from '../destination/destination-error.ts';
import type { MediaStart, Publisher, PublishOptions } from '../destination/publisher.ts';
import { ChunkedMedia } from '../rtmp/chunked-media.ts';
import type { MediaMessage } from '../rtmp/message.ts';
import { TransportMuxer } from '../transport-stream/transport-muxer.ts';
import { call } from './call.ts';
import type { CallOptions } from './call.ts';
import { SrtConnection } from './srt-connection.ts';
import { openSrtSocket } from './srt-socket.ts';

export interface SrtTarget extends CallOptions {
  /** srt://host:port. */
  readonly url: string;
}

/**
 * Calls the listener; resolves when it has agreed.
 * @param signal gives up when it aborts; it has no effect once this has resolved
 * @throws {DestinationError} as `call` does, and when the address may not or cannot be used; the signal's reason
 */
export async function connectSrt(target: SrtTarget, options: PublishOptions, signal: AbortSignal): Promise<Publisher> {
  const { videoCodec = 'h264', maySend = () => true } = options;
  if (videoCodec === 'av1') throw new DestinationError('codec_refused');
  const socket = await openSrtSocket(parseSrtURL(target.url)!, options);
  try {
    const agreed = await call(socket, target, signal);
    const { latencyMs } = target;
    return new SrtPublisher(new SrtConnection(socket, { call: agreed, latencyMs, maySend }), videoCodec, latencyMs);
  } catch (error) {
    socket.close();
    throw error;
  }
}

class SrtPublisher implements Publisher {
  readonly bytesAcknowledged = null;
  readonly moveRequest = null;
  readonly heldSeconds: number;
  readonly ended: Promise<DestinationError | null>;
  bytesSent = 0;
  readonly #connection: SrtConnection;
  readonly #videoCodec: 'h264' | 'hevc';
  readonly #chunked = new ChunkedMedia();
  #muxer: TransportMuxer | null = null;

  constructor(connection: SrtConnection, videoCodec: 'h264' | 'hevc', latencyMs: number) {
    this.#connection = connection;
    this.#videoCodec = videoCodec;
    // A lost packet delays the acknowledgement of the packets behind it, for the latency at most.
    this.heldSeconds = latencyMs / 1000;
    this.ended = connection.ended;
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  get bytesQueued(): number {
    return this.bytesSent - this.#connection.mediaAcknowledged;
  }

  get bytesDelivered(): number {
    return this.#connection.mediaAcknowledged;
  }

  get deliveredAgoMs(): number {
    return this.#connection.acknowledgedAgoMs;
  }

  get tookAll(): boolean {
    return this.bytesQueued === 0;
  }

  begin({ originMs, sequenceHeaders }: MediaStart): void {
    this.#muxer = new TransportMuxer(this.#videoCodec, originMs);
    this.#chunked.record(sequenceHeaders);
    this.send(sequenceHeaders);
  }

  send(messages: readonly MediaMessage[]): void {
    if (!this.isOpen) return;
    const packets = messages.flatMap((message) => this.#muxer!.write(message));
    for (const { length } of packets) this.bytesSent += length;
    this.#connection.send(packets);
  }

  sendChunks(chunks: readonly Buffer[]): void {
    this.send(this.#chunked.read(chunks));
  }

  async close(): Promise<void> {
    this.#connection.send(this.#muxer?.flush() ?? []);
    await this.#connection.close();
    await this.ended;
  }
}
