// Reads the FLV tag bodies out of prepared RTMP chunks.
import type { Span } from '../prepared/span.ts';
import { ChunkReader } from '../rtmp/chunk-reader.ts';
import { ChunkWriter } from '../rtmp/chunk-writer.ts';
import { fromPublisher } from '../rtmp/inbound-limits.ts';
import { controlMessage, mediaChunkSize, messageType } from '../rtmp/message.ts';

/** The tag bodies in groups `first` to `end` of a span, `end` not included. */
export function payloadsOf(span: Span, first: number, end: number): Readonly<Record<'video' | 'audio', Buffer[]>> {
  const slices: Buffer[] = [];
  span.slice(span.offsetOf(first), span.offsetOf(end), slices);
  const reader = new ChunkReader(fromPublisher);
  reader.read(new ChunkWriter().write([controlMessage(messageType.setChunkSize, mediaChunkSize)]));
  const messages = reader.read(Buffer.concat(slices));
  const of = (wanted: number) => messages.flatMap(({ type, payload }) => (type === wanted ? [payload] : []));
  return { video: of(messageType.video), audio: of(messageType.audio) };
}
