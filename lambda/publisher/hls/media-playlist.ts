// The playlist that lists the segments in their order (RFC 8216, 4.3).

export interface ListedSegment {
  readonly number: number;
  readonly name: string;
  readonly durationSeconds: number;
}

/** Longer than any segment: it ends at the first keyframe after a second, and keyframes come every two seconds. */
const targetSeconds = 4;

/** @param segments with successive numbers, at least one */
export function mediaPlaylist(segments: readonly ListedSegment[]): string {
  return [
    '#EXTM3U',
    '#EXT-X-VERSION:3',
    `#EXT-X-TARGETDURATION:${targetSeconds}`,
    `#EXT-X-MEDIA-SEQUENCE:${segments[0]!.number}`,
    ...segments.flatMap(({ name, durationSeconds }) => [`#EXTINF:${durationSeconds.toFixed(3)},`, name]),
    '',
  ].join('\n');
}
