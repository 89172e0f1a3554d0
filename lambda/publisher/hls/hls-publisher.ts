// Publishes one stream as HLS by PUT: segments of a transport stream, with a playlist before each.
// The rules are those of YouTube's HLS ingestion (developers.google.com/youtube/v3/live/guides/hls-ingestion).
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { parseHlsURL } from '../../domain/destinations/ways/hls.ts';
import { DestinationError } from '../destination/destination-error.ts';
import type { MediaStart, Publisher, PublishOptions } from '../destination/publisher.ts';
import { ChunkedMedia } from '../rtmp/chunked-media.ts';
import type { MediaMessage } from '../rtmp/message.ts';
import { TransportMuxer } from '../transport-stream/transport-muxer.ts';
import { SegmentCutter } from './segment-cutter.ts';
import type { CutSegment } from './segment-cutter.ts';
import { SegmentUploads } from './segment-uploads.ts';
import type { SegmentUploadsOptions } from './segment-uploads.ts';
import { UploadConnection } from './upload-connection.ts';

export interface HlsTarget {
  /** https://host[:port]/…: the names of files are added at its end. It may have a place for the stream key. */
  readonly url: string;
  readonly streamKey: string;
}

/** A segment of up to three seconds is being cut, and the segment before is on its way. */
const heldSeconds = 5;
/** The last segment is uploaded before the connection closes. */
const closeTimeoutMs = 2000;

/**
 * Opens the connection for uploads. The first segment shows whether the destination takes them.
 * @param signal gives up when it aborts; it has no effect once this has resolved
 * @throws {DestinationError} as openDestinationSocket, and codec_refused; the signal's reason
 */
export async function connectHls(target: HlsTarget, options: PublishOptions, signal: AbortSignal): Promise<Publisher> {
  const { videoCodec = 'h264', maySend = () => true, onUnaccepted } = options;
  if (videoCodec === 'av1') throw new DestinationError('codec_refused');
  const connection = await UploadConnection.open(parseHlsURL(target.url)!, options, signal);
  return new HlsPublisher(target, connection, { videoCodec, maySend, onUnaccepted });
}

/**
 * States, in this order:
 * - open: from the constructor, over a connection that stands. After `begin`, media is cut and uploaded.
 * - closing: after `close`. No media is taken; the last segment is uploaded, for 2 s at most.
 * - ended: after that, or once the destination refuses a file or `maySend` returns false. `ended` resolves.
 */
class HlsPublisher implements Publisher {
  readonly bytesAcknowledged = null;
  readonly bytesDelivered = null;
  readonly deliveredAgoMs = 0;
  readonly moveRequest = null;
  readonly heldSeconds = heldSeconds;
  readonly ended: Promise<DestinationError | null>;
  isOpen = true;
  bytesSent = 0;
  readonly #videoCodec: 'h264' | 'hevc';
  readonly #uploads: SegmentUploads;
  readonly #closing = new AbortController();
  readonly #chunked = new ChunkedMedia();
  /** Part of the names of files, so that no name is used twice, even by another agent. */
  readonly #tag = randomBytes(6).toString('hex');
  #cutter: SegmentCutter | null = null;
  #nextNumber = 0;
  #closed: Promise<void> | null = null;

  constructor(
    { url, streamKey }: HlsTarget,
    connection: UploadConnection,
    {
      videoCodec,
      ...uploading
    }: { videoCodec: 'h264' | 'hevc' } & Pick<SegmentUploadsOptions, 'maySend' | 'onUnaccepted'>,
  ) {
    this.#videoCodec = videoCodec;
    this.#uploads = new SegmentUploads({ connection, url, streamKey, ...uploading }, this.#closing.signal);
    this.ended = this.#uploads.ended
      .then(
        () => null,
        (error: unknown) =>
          error instanceof DestinationError ? error : new DestinationError('connection_lost', error),
      )
      .finally(() => {
        this.isOpen = false;
        connection.close();
      });
  }

  get bytesQueued(): number {
    return this.bytesSent - this.#uploads.mediaTaken;
  }

  get tookAll(): boolean {
    return this.bytesQueued === 0;
  }

  begin({ originMs, sequenceHeaders }: MediaStart): void {
    this.#cutter = new SegmentCutter(new TransportMuxer(this.#videoCodec, originMs));
    // Numbers grow over all connections of a run: only a connection's last segment is shorter than a second.
    this.#nextNumber = Math.ceil(originMs / 1000);
    this.#chunked.record(sequenceHeaders);
    this.send(sequenceHeaders);
  }

  send(messages: readonly MediaMessage[]): void {
    if (!this.isOpen) return;
    for (const message of messages) {
      const cut = this.#cutter!.add(message);
      if (cut) this.#upload(cut);
      this.bytesSent += message.payload.length;
    }
  }

  sendChunks(chunks: readonly Buffer[]): void {
    this.send(this.#chunked.read(chunks));
  }

  close(): Promise<void> {
    this.#closed ??= this.#finish();
    return this.#closed;
  }

  async #finish(): Promise<void> {
    const last = this.isOpen ? (this.#cutter?.end() ?? null) : null;
    this.isOpen = false;
    if (last) this.#upload(last);
    await Promise.race([this.#uploads.allTaken(), this.ended, setTimeout(closeTimeoutMs, undefined, { ref: false })]);
    this.#closing.abort();
    await this.ended;
  }

  #upload({ packets, durationSeconds }: CutSegment): void {
    const number = this.#nextNumber++;
    const name = `${this.#tag}-${number}.ts`;
    this.#uploads.add({ number, name, durationSeconds, packets, mediaEnd: this.bytesSent });
  }
}
