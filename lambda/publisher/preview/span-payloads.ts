// Reads the FLV tag bodies out of prepared RTMP chunks.
import type { Span } from '../prepared/span.ts';
import { ChunkedMedia } from '../rtmp/chunked-media.ts';

/** The tag bodies in groups `first` to `end` of a span, `end` not included. */
export function payloadsOf(span: Span, first: number, end: number): Readonly<Record<'video' | 'audio', Buffer[]>> {
  const slices: Buffer[] = [];
  span.slice(span.offsetOf(first), span.offsetOf(end), slices);
  const messages = new ChunkedMedia().read(slices);
  const of = (wanted: 'video' | 'audio') => messages.flatMap(({ type, payload }) => (type === wanted ? [payload] : []));
  return { video: of('video'), audio: of('audio') };
}
