// A destination in memory that assembles messages from chunks, and accepts as many bytes as a test allows.
import { flvHeader, flvTag } from '../../../bin/local/rtmp-sink/flv-writer.ts';
import { ChunkReader } from '../../../lambda/publisher/rtmp/chunk-reader.ts';
import { fromPublisher } from '../../../lambda/publisher/rtmp/inbound-limits.ts';
import { ChunkWriter } from '../../../lambda/publisher/rtmp/chunk-writer.ts';
import type { DestinationError } from '../../../lambda/publisher/destination/destination-error.ts';
import { controlMessage, mediaChunkSize, mediaHeaders, messageType } from '../../../lambda/publisher/rtmp/message.ts';
import type { MediaMessage, RtmpMessage } from '../../../lambda/publisher/rtmp/message.ts';
import type { MediaStart, Publisher } from '../../../lambda/publisher/destination/publisher.ts';

export class CheckingIngest implements Publisher {
  readonly tookAll = true;
  isOpen = true;
  bytesSent = 0;
  bytesQueued = 0;
  readonly bytesAcknowledged = null;
  readonly bytesDelivered = null;
  readonly deliveredAgoMs = 0;
  readonly heldSeconds = 0;
  moveRequest: string | null = null;
  /** Whether the destination accepts all bytes at once. Otherwise they wait until `take`. */
  takesAll = true;
  /** All chunks of media, in the order of arrival. */
  readonly media: Buffer[] = [];
  readonly video: RtmpMessage[] = [];
  readonly audio: RtmpMessage[] = [];
  readonly #writer = new ChunkWriter();
  readonly #reader = new ChunkReader(fromPublisher);
  readonly #ending = Promise.withResolvers<DestinationError | null>();
  readonly ended = this.#ending.promise;
  readonly #keepsMedia: boolean;

  constructor({ keepsMedia = true } = {}) {
    this.#keepsMedia = keepsMedia;
    this.#receive(this.#writer.write([controlMessage(messageType.setChunkSize, mediaChunkSize)]));
    this.#writer.chunkSize = mediaChunkSize;
  }

  begin({ sequenceHeaders }: MediaStart): void {
    this.send(sequenceHeaders);
  }

  send(messages: readonly MediaMessage[]): void {
    const rtmpMessages = messages.map(({ type, timestampMs, payload }) => ({
      ...mediaHeaders[type],
      streamID: 1,
      timestampMs,
      payload,
    }));
    this.#receive(this.#writer.write(rtmpMessages));
  }

  sendChunks(chunks: readonly Buffer[]): void {
    for (const chunk of chunks) {
      if (this.#keepsMedia) this.media.push(chunk);
      this.#receive(chunk);
    }
  }

  /** Accepts this number of the waiting bytes. */
  take(bytes: number): void {
    this.bytesQueued = Math.max(0, this.bytesQueued - bytes);
  }

  async close(): Promise<void> {
    this.#ending.resolve(null);
  }

  #receive(bytes: Buffer): void {
    this.bytesSent += bytes.length;
    if (!this.takesAll) this.bytesQueued += bytes.length;
    for (const message of this.#reader.read(bytes)) {
      const kept = this.#keepsMedia ? message : { ...message, payload: message.payload.subarray(0, 2) };
      if (message.type === messageType.video) this.video.push(kept);
      if (message.type === messageType.audio) this.audio.push(kept);
    }
  }
}

/** The times of the frames among messages, in milliseconds. Sequence headers are not frames. */
export function frameTimes(messages: readonly RtmpMessage[]): number[] {
  return messages.filter(({ payload }) => payload[1] === 1).map(({ timestampMs }) => timestampMs);
}

/** Whether a message of video begins with a keyframe (FLV: frame type 1). */
export function isKeyframe({ payload }: RtmpMessage): boolean {
  return payload[0]! >> 4 === 1 && payload[1] === 1;
}

/** An FLV file of all received messages. */
export function flvOf({ video, audio }: CheckingIngest): Buffer {
  const tags = [...video, ...audio].sort((a, b) => a.timestampMs - b.timestampMs);
  return Buffer.concat([
    flvHeader({ hasVideo: true, hasAudio: true }),
    ...tags.map(({ type, timestampMs, payload }) => flvTag(type, timestampMs, payload)),
  ]);
}
