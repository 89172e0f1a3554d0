// Cuts RTMP messages into chunks (Adobe RTMP 1.0, section 5.3).
import type { RtmpMessage } from './message.ts';

/** A time from this value on does not fit into a timestamp field, which then holds this value; four bytes follow it. */
export const extendedTimestamp = 0xff_ff_ff;

/** The chunk size of each side until it announces another. */
export const initialChunkSize = 128;

const timestampRange = 2 ** 32;

interface LastHeader {
  readonly streamID: number;
  readonly timestampMs: number;
}

interface Header {
  readonly format: 0 | 1;
  /** Milliseconds, 0..2^32-1: absolute in format 0, since the last message of the chunk stream in format 1. */
  readonly timestampField: number;
}

/**
 * The writing half of a connection. After the first message of a chunk stream it writes deltas (format 1), so that a
 * stream that runs for weeks needs no extended timestamps: many receivers have bugs there.
 */
export class ChunkWriter {
  /** The size of chunks that are written from now on. The caller has to announce it to the peer. */
  chunkSize = initialChunkSize;
  readonly #lastHeaders = new Map<number, LastHeader>();

  /** @returns the chunks of all messages in one buffer, to be sent with one write */
  write(messages: readonly RtmpMessage[]): Buffer {
    const headers = messages.map((message) => this.#chooseHeader(message));
    const sizes = messages.map((message, index) => chunkedSize(message, headers[index]!, this.chunkSize));
    const size = sizes.reduce((sum, each) => sum + each, 0);
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
