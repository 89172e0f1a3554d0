// RTMP messages as chunks that say nothing of the stream they are in: only the time since the message before.
import { ChunkWriter } from '../rtmp/chunk-writer.ts';
import { mediaChunkSize, mediaHeaders } from '../rtmp/message.ts';

/** Where the 24 bits of the time since the message before stand in the chunks of a message (Adobe RTMP 1.0, section 5.3.1.2.2). */
export const deltaField = { offset: 1, bytes: 3 } as const;

/**
 * The chunks of one message with a header of format 1, which names neither the message stream nor an absolute time.
 * @param deltaMs since the message before on the same chunk stream, less than 2^24
 */
export function deltaChunks(type: 'video' | 'audio', deltaMs: number, payload: Buffer): Buffer {
  const writer = new ChunkWriter();
  writer.chunkSize = mediaChunkSize;
  const message = { ...mediaHeaders[type], streamID: 1, timestampMs: 0, payload: Buffer.alloc(0) };
  // A first message takes a header of format 0; what follows it takes the short one.
  writer.write([message]);
  return writer.write([{ ...message, timestampMs: deltaMs, payload }]);
}

/** The bytes of the delta field. */
export function deltaBytes(deltaMs: number): Buffer {
  const bytes = Buffer.alloc(deltaField.bytes);
  bytes.writeUIntBE(deltaMs, 0, deltaField.bytes);
  return bytes;
}

/** Length of a header of format 1, with its one byte for the chunk stream. */
export const chunkHeaderBytes = 8;

/** How many bytes the chunks of a message take, from its header: bytes 4 to 6 hold its length. */
export function chunkedBytes(header: Buffer): number {
  const messageBytes = header.readUIntBE(4, 3);
  return chunkHeaderBytes + messageBytes + Math.max(0, Math.ceil(messageBytes / mediaChunkSize) - 1);
}
