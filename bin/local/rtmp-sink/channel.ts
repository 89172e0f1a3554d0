// What the sink tells about its channels.

/** One publisher's connection, from publish to its end. */
export interface BroadcastFacts {
  readonly connectedAt: Date;
  /** Pixels and frames per second, from the video's sequence header, else from onMetaData. */
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
  /** Does not wrap; null before the first media. */
  readonly lastTimestampMs: number | null;
  /** How often audio or video went back in time. */
  readonly timestampRegressions: number;
}

/** A channel is what one stream key publishes; the facts are of the current broadcast, or else of the last. */
export interface Channel extends BroadcastFacts {
  /** First 12 hex digits of the SHA-256 of app/key: the key itself is never shown. */
  readonly id: string;
  /** Without its query. */
  readonly app: string;
  readonly live: boolean;
  /** How many publishers so far. */
  readonly connections: number;
}
