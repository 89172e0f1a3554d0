// Cuts RTMP messages into chunks (Adobe RTMP 1.0, section 5.3).
import type { RtmpMessage } from './message.ts';

/** From this value on a timestamp field holds 0xFFFFFF and the value follows in four bytes of its own. */
export const extendedTimestamp = 0xff_ff_ff;

/** The chunk size of both sides until they say otherwise. */
export const initialChunkSize = 128;

const timestampRange = 2 ** 32;

interface LastHeader {
  readonly streamID: number;
  readonly timestampMs: number;
}

interface Header {
  readonly format: 0 | 1;
  /** Absolute in format 0, since the last message of the chunk stream in format 1. 0..2^32-1. */
  readonly timestampField: number;
}

/**
 * The writing half of a connection. After the first message of a chunk stream it writes deltas (format 1), so that a stream that
 * runs for weeks needs no extended timestamps: receivers have many bugs there.
 */
export class ChunkWriter {
  /** Holds for what is written next; announcing it is the caller's part. */
  chunkSize = initialChunkSize;
  readonly #lastHeaders = new Map<number, LastHeader>();

  /** The messages' chunks in one buffer, to be sent with one write. */
  write(messages: readonly RtmpMessage[]): Buffer {
    const headers = messages.map((message) => this.#chooseHeader(message));
    const size = messages.reduce(
      (sum, message, index) => sum + chunkedSize(message, headers[index]!, this.chunkSize),
      0,
    );
    const bytes = Buffer.allocUnsafe(size);
    let offset = 0;
    for (const [index, message] of messages.entries())
      offset = this.#writeMessage(bytes, offset, message, headers[index]!);
    return bytes;
  }

  #chooseHeader({ chunkStreamID, streamID, timestampMs }: RtmpMessage): Header {
    const last = this.#lastHeaders.get(chunkStreamID);
    this.#lastHeaders.set(chunkStreamID, { streamID, timestampMs });
    const delta = last?.streamID === streamID ? timestampMs - last.timestampMs : -1;
    return delta >= 0 && delta < timestampRange
      ? { format: 1, timestampField: delta }
      : { format: 0, timestampField: timestampMs % timestampRange };
  }

  #writeMessage(bytes: Buffer, start: number, message: RtmpMessage, { format, timestampField }: Header): number {
    const { chunkStreamID, type, streamID, payload } = message;
    const extended = timestampField >= extendedTimestamp;
    let offset = bytes.writeUInt8((format << 6) | chunkStreamID, start);
    offset = bytes.writeUIntBE(Math.min(timestampField, extendedTimestamp), offset, 3);
    offset = bytes.writeUIntBE(payload.length, offset, 3);
    offset = bytes.writeUInt8(type, offset);
    if (format === 0) offset = bytes.writeUInt32LE(streamID, offset);
    if (extended) offset = bytes.writeUInt32BE(timestampField, offset);
    for (let sent = 0; sent < payload.length; sent += this.chunkSize) {
      if (sent > 0) {
        offset = bytes.writeUInt8((3 << 6) | chunkStreamID, offset);
        if (extended) offset = bytes.writeUInt32BE(timestampField, offset);
      }
      offset += payload.copy(bytes, offset, sent, sent + this.chunkSize);
    }
    return offset;
  }
}

function chunkedSize({ payload }: RtmpMessage, { format, timestampField }: Header, chunkSize: number): number {
  const chunks = Math.max(1, Math.ceil(payload.length / chunkSize));
  const extendedBytes = timestampField >= extendedTimestamp ? 4 * chunks : 0;
  return chunks + (format === 0 ? 11 : 7) + extendedBytes + payload.length;
}
