// A connection that publishes, as whoever sends media over it sees it.
import type { VideoCodec } from '../../domain/shared/video-format.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { DeliveryMeter } from '../rtmp/delivery-meter.ts';
import type { MediaMessage } from '../rtmp/message.ts';
import type { DestinationError } from './destination-error.ts';
import type { DestinationSocketOptions } from './destination-socket.ts';

/** What comes before the media of a connection. */
export interface MediaStart {
  readonly profile: Profile;
  /** The time that is timestamp 0 of the messages, in milliseconds since the run's anchor. */
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
  /** Asked before every write. When it answers false, the connection ends at once, without another byte. */
  readonly maySend?: () => boolean;
}

export interface Publisher {
  /** Says what media comes. Called once, before all media. */
  begin(start: MediaStart): void;
  /**
   * Sends the messages in the order given. Does nothing once the connection has ended.
   * @throws {RangeError} when a timestamp is not a whole number from 0, or less than the last of its type: both are the
   * caller's mistakes
   */
  send(messages: readonly MediaMessage[]): void;
  /**
   * Sends prepared media, which is cut into RTMP chunks of `mediaChunkSize`. `send` takes no media of that kind
   * afterwards. Does nothing once the connection has ended.
   */
  sendChunks(chunks: readonly Buffer[]): void;
  /** Whether media is taken: not any more once either side has begun to end the connection, before `ended` resolves. */
  readonly isOpen: boolean;
  /** Media and protocol bytes that were given to this connection. */
  readonly bytesSent: number;
  /**
   * How many of `bytesSent` the server has acknowledged by messages of RTMP; null before the first such message, and
   * for other ways out.
   */
  readonly bytesAcknowledged: number | null;
  /** How many of `bytesSent` the other side's system had received a moment ago; null where nobody tells. */
  readonly bytesDelivered: number | null;
  /**
   * How long ago at most the last of `bytesDelivered` were received, in milliseconds; 0 where nobody tells.
   */
  readonly deliveredAgoMs: number;
  /**
   * How many of `bytesSent` wait in this process: for the operating system, whose own buffers take several seconds of
   * media, or for the destination, where it acknowledges what it takes.
   */
  readonly bytesQueued: number;
  /** Whether, after close(), the destination has everything, as far as it says so. */
  readonly tookAll: boolean;
  /**
   * So many seconds of media wait by the nature of the way out, even where the destination takes all: 0 where media
   * goes out as it comes.
   */
  readonly heldSeconds: number;
  /** The RTMP URL at which the server wants the stream instead, beginning with a keyframe; null while it wants none. */
  readonly moveRequest: string | null;
  /**
   * Resolves once the connection has ended, and never rejects: with null after close() or a move request, else with an
   * error that says who ended it.
   */
  readonly ended: Promise<DestinationError | null>;
  /** Ends the stream and closes the connection, within 500 ms. Idempotent; never rejects. */
  close(): Promise<void>;
}
