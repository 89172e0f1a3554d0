// The facts that the sink reports about its channels.

/** Facts about one broadcast: the media that a publisher sent over one connection. */
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
  /** Bitrate over the last five whole seconds. */
  readonly bitrateKbps: number;
  readonly firstVideoAt: Date | null;
  /** The newest timestamp. It continues to rise when the 32 bits of RTMP wrap. Null before the first media. */
  readonly lastTimestampMs: number | null;
  /** Milliseconds between the last two keyframes; null before the second one. */
  readonly keyframeIntervalMs: number | null;
  /** How often a timestamp of audio or video was lower than the one before. */
  readonly timestampRegressions: number;
}

/** The media under one stream key. The facts are of the live broadcast, or of the last one. */
export interface Channel extends BroadcastFacts {
  /** The first 12 hexadecimal digits of the SHA-256 of APP/KEY: the stream key itself is never shown. */
  readonly id: string;
  /** The RTMP application, without its query string. */
  readonly app: string;
  readonly live: boolean;
  /** Number of connections of publishers. */
  readonly connections: number;
}
