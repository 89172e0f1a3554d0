// Reads prepared media, which is cut into RTMP chunks, for previews and for the ways out that are not RTMP.
import { ChunkReader } from './chunk-reader.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { fromPublisher } from './inbound-limits.ts';
import { controlMessage, mediaChunkSize, mediaHeaders, messageType } from './message.ts';
import type { MediaMessage } from './message.ts';

const kinds: ReadonlyMap<number, MediaMessage['type']> = new Map(
  Object.entries(mediaHeaders).map(([kind, { type }]) => [type, kind as MediaMessage['type']]),
);

export class ChunkedMedia {
  readonly #writer = new ChunkWriter();
  readonly #reader = new ChunkReader(fromPublisher);

  constructor() {
    this.#reader.read(this.#writer.write([controlMessage(messageType.setChunkSize, mediaChunkSize)]));
    this.#writer.chunkSize = mediaChunkSize;
  }

  /** Records messages that were sent unchunked: times in chunks count from the last message of their kind. */
  record(messages: readonly MediaMessage[]): void {
    const sent = messages.map(({ type, ...message }) => ({ ...mediaHeaders[type], streamID: 1, ...message }));
    this.#reader.read(this.#writer.write(sent));
  }

  /** The messages in chunks. The chunks have to follow the messages recorded or read last. */
  read(chunks: readonly Buffer[]): MediaMessage[] {
    return chunks
      .flatMap((chunk) => this.#reader.read(chunk))
      .map(({ type, timestampMs, payload }) => ({ type: kinds.get(type)!, timestampMs, payload }));
  }
}
