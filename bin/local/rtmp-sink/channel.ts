// What the sink tells about its channels.

/** Figures of one broadcast: of what a publisher sent over one connection. */
export interface BroadcastFacts {
  readonly connectedAt: Date;
  /** Pixels, and frames per second, from the video's sequence header or else from `onMetaData`; null while unknown. */
  readonly width: number | null;
  readonly height: number | null;
  readonly framerate: number | null;
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
  readonly videoFrames: number;
  readonly audioFrames: number;
  /** Bytes of audio and video messages. */
  readonly bytes: number;
  /** Over the last five whole seconds. */
  readonly bitrateKbps: number;
  readonly firstVideoAt: Date | null;
  /** The newest timestamp. It goes on rising where the 32 bits of RTMP wrap. Null before the first media. */
  readonly lastTimestampMs: number | null;
  /** Between the last two keyframes; null before the second one. */
  readonly keyframeIntervalMs: number | null;
  /** How often a timestamp of audio or video was lower than the one before. */
  readonly timestampRegressions: number;
}

/** What one stream key sends. The facts are of the broadcast that is live, or of the last one. */
export interface Channel extends BroadcastFacts {
  /** The first 12 hexadecimal digits of the SHA-256 of APP/KEY: the stream key itself is never shown. */
  readonly id: string;
  /** The RTMP application, without its query string. */
  readonly app: string;
  readonly live: boolean;
  /** How many times a publisher has connected. */
  readonly connections: number;
}
