// A connection that publishes, as whoever sends media over it sees it.
import type { DestinationError } from './destination-error.ts';
import type { MediaMessage } from './message.ts';

export interface RtmpPublisher {
  /**
   * Sends the messages in the order given with one socket write. Does nothing once the connection has ended.
   * @throws {RangeError} when a timestamp is not a whole number from 0, or less than the last of its type: both are the
   * caller's mistakes
   */
  send(messages: readonly MediaMessage[]): void;
  /**
   * Sends media that is cut into chunks of `mediaChunkSize` already, with one socket write. `send` has to have sent a
   * message of the same kind before, and takes none of that kind afterwards. Does nothing once the connection has
   * ended.
   */
  sendChunks(chunks: readonly Buffer[]): void;
  /** Whether media is taken: not any more once either side has begun to end the connection, before `ended` resolves. */
  readonly isOpen: boolean;
  /** Media and protocol bytes handed to the socket. */
  readonly bytesSent: number;
  /** How many of `bytesSent` the server has acknowledged by messages of RTMP; null before the first such message. */
  readonly bytesAcknowledged: number | null;
  /** How many of `bytesSent` the server's system had received a moment ago; null where our system does not tell. */
  readonly bytesDelivered: number | null;
  /**
   * How long ago at most the last of `bytesDelivered` were received, in milliseconds; 0 where our system does not tell.
   */
  readonly deliveredAgoMs: number;
  /**
   * How many of `bytesSent` wait in this process for the operating system. The number rises late: the system's own
   * buffers take several seconds of media.
   */
  readonly bytesQueued: number;
  /** Whether, after close(), the server ended its side as well once it had been sent everything. */
  readonly tookAll: boolean;
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
