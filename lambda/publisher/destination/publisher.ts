// A connection that publishes, and the interface for its sender.
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { DeliveryMeter } from '../rtmp/delivery-meter.ts';
import type { MediaMessage } from '../rtmp/message.ts';
import type { DestinationError } from './destination-error.ts';
import type { DestinationSocketOptions } from './destination-socket.ts';

/** Facts and headers that come before the media of a connection. */
export interface MediaStart {
  readonly profile: Profile;
  /** The time of timestamp 0 of the messages, in milliseconds since the run's anchor. */
  readonly originMs: number;
  readonly sequenceHeaders: readonly MediaMessage[];
}

/** Options of a connection, over every way out. */
export interface PublishOptions extends DestinationSocketOptions {
  /** The time until the destination has to wait for media, in milliseconds. `connectTo` applies it. */
  readonly connectTimeoutMs: number;
  /** Size of one second of the media. */
  readonly bytesPerSecond?: number;
  /** The codec of the pictures that will be sent; H.264 when absent. */
  readonly videoCodec?: VideoCodec;
  /**
   * Measures the bytes that a TCP connection has delivered. Without a meter, a lost destination is noticed only once
   * the system's buffers are full.
   */
  readonly meter?: DeliveryMeter;
  /** Called before every write. If it returns false, the connection ends at once, without another byte. */
  readonly maySend?: () => boolean;
  /** Called at the end of an HLS connection that was sent media, at least in part, and accepted nothing of it. */
  readonly onUnaccepted?: () => void;
}

/** States: waiting for `begin`, then open, then closed (`isOpen` is false), then ended (`ended` resolves). */
export interface Publisher {
  /** Announces the media. Called once, before all media. */
  begin(start: MediaStart): void;
  /**
   * Sends the messages in the order given. Does nothing once the connection has ended.
   * @throws {RangeError} when a timestamp is not a whole number from 0, or is less than the last timestamp of its type:
   * mistakes of the caller
   */
  send(messages: readonly MediaMessage[]): void;
  /**
   * Sends prepared media, which is cut into RTMP chunks of `mediaChunkSize`. `send` takes no media of that kind
   * afterwards. Does nothing once the connection has ended.
   */
  sendChunks(chunks: readonly Buffer[]): void;
  /** True while media is taken: until either side begins to end the connection, which is before `ended` resolves. */
  readonly isOpen: boolean;
  /** Media and protocol bytes that were given to this connection. */
  readonly bytesSent: number;
  /**
   * Bytes of `bytesSent` that the server has acknowledged by messages of RTMP; null before the first such message, and
   * for other ways out.
   */
  readonly bytesAcknowledged: number | null;
  /** Bytes of `bytesSent` that the other side's system had received a moment ago; null if unknown. */
  readonly bytesDelivered: number | null;
  /** Milliseconds since the last of `bytesDelivered` were received, at most; 0 if unknown. */
  readonly deliveredAgoMs: number;
  /**
   * Bytes of `bytesSent` that wait in this process: for the operating system, whose own buffers take several seconds of
   * media; or for the destination, over a way out on which it acknowledges media.
   */
  readonly bytesQueued: number;
  /** True if, after close(), the destination has confirmed all bytes. */
  readonly tookAll: boolean;
  /**
   * Seconds of media that always wait, by the nature of the way out: 0 for a way that sends media as it comes.
   */
  readonly heldSeconds: number;
  /** The RTMP URL at which the server wants the stream instead, beginning with a keyframe; null while it wants none. */
  readonly moveRequest: string | null;
  /**
   * Resolves once the connection has ended, and never rejects: with null after close() or a move request, otherwise
   * with the error that ended it.
   */
  readonly ended: Promise<DestinationError | null>;
  /** Ends the stream and closes the connection, within 500 ms. Idempotent; never rejects. */
  close(): Promise<void>;
}
