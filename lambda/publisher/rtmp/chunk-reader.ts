// Puts RTMP messages together from chunks, within bounds (Adobe RTMP 1.0, section 5.3).
import { extendedTimestamp, initialChunkSize } from './chunk-writer.ts';
import type { InboundLimits } from './inbound-limits.ts';
import { messageType } from './message.ts';
import type { RtmpMessage } from './message.ts';
import { RtmpProtocolError } from './protocol-error.ts';
import { releaseMemory } from './release-memory.ts';

const firstAllocationBytes = 16 * 1024;
/** Bytes of a chunk's header behind its basic header, by the format of the chunk. */
const headerBytesByFormat: readonly number[] = [11, 7, 3, 0];

interface ChunkStream {
  readonly id: number;
  type: number;
  streamID: number;
  timestampMs: number;
  /**
   * The last timestamp field that was read: an absolute time in format 0, else a delta. A new message in format 3 adds
   * it once more.
   */
  timestampField: number;
  /** True if the timestamp is extended: four bytes behind each header. */
  extended: boolean;
  messageBytes: number;
  /** The bytes of the message that have come so far fill the first `filledBytes` of it. Null between messages. */
  body: Buffer | null;
  filledBytes: number;
}

/** The reading half of a connection, after the handshake. */
export class ChunkReader {
  /** May be replaced between two reads. Messages that are incomplete by then count against the new limits. */
  limits: InboundLimits;
  readonly #streams = new Map<number, ChunkStream>();
  #chunkSize = initialChunkSize;
  #headerStart: Buffer = Buffer.alloc(0);
  #current: ChunkStream | null = null;
  #chunkBytesLeft = 0;
  #incompleteBytes = 0;

  constructor(limits: InboundLimits) {
    this.limits = limits;
  }

  /** Memory of all messages whose last chunk has not come yet. */
  get incompleteBytes(): number {
    return this.#incompleteBytes;
  }

  /**
   * Takes the next bytes, which may be cut anywhere, and returns the messages that they complete. Set Chunk Size and
   * Abort are among these, although the reader has already applied them.
   * @param mostMessages maximum of messages that the bytes may complete
   * @throws {RtmpProtocolError} on anything that the protocol or the limits do not allow; the reader cannot be used
   * afterwards
   */
  read(data: Buffer, mostMessages = Infinity): RtmpMessage[] {
    const input = this.#headerStart.length > 0 ? Buffer.concat([this.#headerStart, data]) : data;
    const messages: RtmpMessage[] = [];
    let offset = 0;
    for (;;) {
      if (this.#current === null) {
        const headerBytes = this.#startChunk(input, offset);
        if (headerBytes === null) break;
        offset += headerBytes;
      }
      offset += this.#readPayload(input, offset);
      if (this.#chunkBytesLeft > 0) break;
      const message = this.#endChunk();
      if (message === null) continue;
      if (messages.length >= mostMessages) throw new RtmpProtocolError('too many messages');
      messages.push(message);
    }
    // The rest is copied, so that a few bytes do not keep the buffer of a whole read alive.
    this.#headerStart = Buffer.from(input.subarray(offset));
    return messages;
  }

  /** Reads one chunk's header. @returns its length in bytes; null when it is not all there yet */
  #startChunk(input: Buffer, start: number): number | null {
    const available = input.length - start;
    if (available < 1) return null;
    const first = input.readUInt8(start);
    const format = first >> 6;
    const shortID = first & 0x3f;
    // An id of 0 or 1 stands for one that follows in one or two bytes, less 64.
    const basicBytes = [2, 3][shortID] ?? 1;
    const fieldBytes = headerBytesByFormat[format]!;
    if (available < basicBytes + fieldBytes) return null;

    const id = basicBytes === 1 ? shortID : 64 + input.readUIntLE(start + 1, basicBytes - 1);
    const stream = this.#streamOf(id, format);
    const fields = start + basicBytes;
    const shortTimestamp = format === 3 ? null : input.readUIntBE(fields, 3);
    const extended = shortTimestamp === null ? stream.extended : shortTimestamp === extendedTimestamp;
    const headerBytes = basicBytes + fieldBytes + (extended ? 4 : 0);
    if (available < headerBytes) return null;

    if (format !== 3 && stream.body !== null) throw new RtmpProtocolError('new message header inside a message');
    if (format <= 1) {
      stream.messageBytes = input.readUIntBE(fields + 3, 3);
      stream.type = input.readUInt8(fields + 6);
      if (stream.messageBytes > this.limits.maxMessageBytes) throw new RtmpProtocolError('message too long');
    }
    if (format === 0) stream.streamID = input.readUInt32LE(fields + 7);
    if (stream.body === null) {
      stream.extended = extended;
      if (extended) stream.timestampField = input.readUInt32BE(start + headerBytes - 4);
      else if (shortTimestamp !== null) stream.timestampField = shortTimestamp;
      stream.timestampMs = format === 0 ? stream.timestampField : (stream.timestampMs + stream.timestampField) >>> 0;
      stream.body = this.#grow(Buffer.alloc(0), Math.min(stream.messageBytes, firstAllocationBytes));
    }
    this.#current = stream;
    this.#chunkBytesLeft = Math.min(this.#chunkSize, stream.messageBytes - stream.filledBytes);
    return headerBytes;
  }

  #streamOf(id: number, format: number): ChunkStream {
    const known = this.#streams.get(id);
    if (known) return known;
    // A first header has to be of format 0. Format 1 is let through, as librtmp opens its control stream with it.
    if (format > 1) throw new RtmpProtocolError('chunk stream does not start with a full header');
    if (this.#streams.size === this.limits.maxChunkStreams) throw new RtmpProtocolError('too many chunk streams');
    const stream: ChunkStream = {
      id,
      type: 0,
      streamID: 0,
      timestampMs: 0,
      timestampField: 0,
      extended: false,
      messageBytes: 0,
      body: null,
      filledBytes: 0,
    };
    this.#streams.set(id, stream);
    return stream;
  }

  /** Takes the available bytes of the current chunk's payload. @returns the number of bytes taken */
  #readPayload(input: Buffer, offset: number): number {
    const stream = this.#current!;
    const bytes = Math.min(this.#chunkBytesLeft, input.length - offset);
    const needed = stream.filledBytes + bytes;
    if (needed > stream.body!.length) {
      const size = Math.max(needed, 2 * stream.body!.length);
      stream.body = this.#grow(stream.body!, Math.min(stream.messageBytes, size));
    }
    input.copy(stream.body!, stream.filledBytes, offset, offset + bytes);
    stream.filledBytes = needed;
    this.#chunkBytesLeft -= bytes;
    return bytes;
  }

  /** Gives a message the room that the received bytes need, never the announced length at once. */
  #grow(body: Buffer, size: number): Buffer {
    this.#incompleteBytes += size - body.length;
    if (this.#incompleteBytes > this.limits.maxIncompleteBytes)
      throw new RtmpProtocolError('too many incomplete messages');
    const grown = Buffer.allocUnsafe(size);
    body.copy(grown);
    releaseMemory(body);
    return grown;
  }

  /** Frees the memory of incomplete messages. The reader cannot be used afterwards. */
  dispose(): void {
    for (const stream of this.#streams.values()) {
      if (stream.body) releaseMemory(stream.body);
      this.#drop(stream);
    }
    this.#streams.clear();
    this.#current = null;
  }

  /** @returns the message that the current chunk completes; null when more chunks of it are to come */
  #endChunk(): RtmpMessage | null {
    const stream = this.#current!;
    this.#current = null;
    if (stream.filledBytes < stream.messageBytes) return null;
    const { id, type, streamID, timestampMs } = stream;
    const message: RtmpMessage = { chunkStreamID: id, type, streamID, timestampMs, payload: stream.body! };
    this.#drop(stream);
    this.#obey(message);
    return message;
  }

  #obey({ type, payload }: RtmpMessage): void {
    if (type !== messageType.setChunkSize && type !== messageType.abort) return;
    if (payload.length < 4) throw new RtmpProtocolError('control message too short');
    const value = payload.readUInt32BE();
    if (type === messageType.abort) {
      const aborted = this.#streams.get(value);
      if (aborted) this.#drop(aborted);
      return;
    }
    if (value < 1 || value > 0x7f_ff_ff_ff) throw new RtmpProtocolError('chunk size out of range');
    this.#chunkSize = value;
  }

  #drop(stream: ChunkStream): void {
    this.#incompleteBytes -= stream.body?.length ?? 0;
    stream.body = null;
    stream.filledBytes = 0;
  }
}
