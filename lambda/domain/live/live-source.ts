// The measured facts of a contribution.

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
