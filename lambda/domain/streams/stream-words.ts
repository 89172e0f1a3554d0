// Words about streams that the database stores and the API shows.

/** Ways to make the media of a stream: `ffmpeg` encodes while it sends, `manifest` sends what was prepared. */
export const streamBackends = ['ffmpeg', 'manifest'] as const;
export type StreamBackend = (typeof streamBackends)[number];

/** Sort keys of lists of streams. */
export const streamSortKeys = ['createdAt', 'name', 'updatedAt'] as const;
export type StreamSortKey = (typeof streamSortKeys)[number];

/** Reason of a stream's state: a stable code, and a sentence for its user. */
export interface StateReason {
  readonly code: string;
  readonly detail: string;
}
