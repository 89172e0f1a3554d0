// The bytes and messages of a contributor over RTMP, for clients that send what no encoder does.
import { ChunkWriter } from '../../lambda/publisher/rtmp/chunk-writer.ts';
import { commandMessage } from '../../lambda/publisher/rtmp/command.ts';
import { messageType } from '../../lambda/publisher/rtmp/message.ts';
import type { RtmpMessage } from '../../lambda/publisher/rtmp/message.ts';

export const handshakeBytes = Buffer.concat([Buffer.of(3), Buffer.alloc(2 * 1536)]);

export function mediaMessage(type: number, timestampMs: number, payload: Buffer): RtmpMessage {
  return { chunkStreamID: type === messageType.audio ? 4 : 6, type, streamID: 1, timestampMs, payload };
}

/** The bytes of a whole session up to `publish`, without waiting for answers. */
export function greeting(key: string, writer = new ChunkWriter()): Buffer {
  return Buffer.concat([
    handshakeBytes,
    writer.write([
      commandMessage(0, 'connect', 1, { app: 'live', type: 'nonprivate', tcUrl: 'rtmp://127.0.0.1/live' }),
      commandMessage(0, 'releaseStream', 2, null, key),
      commandMessage(0, 'FCPublish', 3, null, key),
      commandMessage(0, 'createStream', 4, null),
      commandMessage(1, 'publish', 5, null, key, 'live'),
    ]),
  ]);
}
