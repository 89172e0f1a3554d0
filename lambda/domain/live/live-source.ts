// The measured facts of a contribution, and the most pixels that one may have.

/** The pixels of a contributed picture: those of 4096 × 2304. Larger ones are not decoded. */
export const mostPixels = 4096 * 2304;
/**
 * The pixels of a contribution in a second, at 60 such pictures. 2160p60, 1440p120 and 1080p240 are within it. More
 * would take the processor from other sessions, and no stream shows more.
 */
export const mostPixelsPerSecond = 60 * mostPixels;

export interface LiveSource {
  /** For example h264. */
  readonly videoCodec: string;
  /** Null: no sound has arrived. */
  readonly audioCodec: string | null;
  /** In pixels; null if they cannot be read from the header. */
  readonly width: number | null;
  readonly height: number | null;
  /** Pictures per second; null: variable. */
  readonly framerate: number | null;
  /** The rate of pictures and sound together. */
  readonly bitrateKbps: number;
  /** Seconds between the last two keyframes; null before the second one. */
  readonly keyframeSeconds: number | null;
}
