// RTMP messages as chunks without a stream or an absolute time: they only hold the time since the previous message.
import { ChunkWriter } from '../rtmp/chunk-writer.ts';
import { mediaChunkSize, mediaHeaders } from '../rtmp/message.ts';

/** The place of the 24 bits with the time since the previous message (Adobe RTMP 1.0, 5.3.1.2.2). */
export const deltaField = { offset: 1, bytes: 3 } as const;

/**
 * The chunks of one message with a header of format 1, which names neither the message stream nor an absolute time.
 * @param deltaMs milliseconds since the message before on the same chunk stream, less than 2^24
 */
export function deltaChunks(type: 'video' | 'audio', deltaMs: number, payload: Buffer): Buffer {
  const writer = new ChunkWriter();
  writer.chunkSize = mediaChunkSize;
  const message = { ...mediaHeaders[type], streamID: 1, timestampMs: 0, payload: Buffer.alloc(0) };
  // A writer gives its first message a header of format 0, and the next message the short one.
  writer.write([message]);
  return writer.write([{ ...message, timestampMs: deltaMs, payload }]);
}

/** The bytes of the delta field. */
export function deltaBytes(deltaMs: number): Buffer {
  const bytes = Buffer.alloc(deltaField.bytes);
  bytes.writeUIntBE(deltaMs, 0, deltaField.bytes);
  return bytes;
}

/** The length of a header of format 1, with its one byte for the chunk stream. */
export const chunkHeaderBytes = 8;

/** The number of bytes of a message's chunks. @param header the message's header, which holds its length */
export function chunkedBytes(header: Buffer): number {
  const messageBytes = header.readUIntBE(4, 3);
  const furtherChunks = Math.max(0, Math.ceil(messageBytes / mediaChunkSize) - 1);
  // Each further chunk begins with a header of one byte.
  return chunkHeaderBytes + messageBytes + furtherChunks;
}
