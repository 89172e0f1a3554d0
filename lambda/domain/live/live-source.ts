// The measured facts of a contribution.

export interface LiveSource {
  /** For example h264. */
  readonly videoCodec: string;
  /** Null: it has no sound. */
  readonly audioCodec: string | null;
  readonly width: number;
  readonly height: number;
  /** Pictures per second; null: variable. */
  readonly framerate: number | null;
  readonly bitrateKbps: number;
  /** Seconds between keyframes; null: not known yet. */
  readonly keyframeSeconds: number | null;
}
