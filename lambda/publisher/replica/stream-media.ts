// The media of a stream as its connections see it, whichever backend it comes from.
import type { Figures } from './figures.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { MediaMessage } from '../rtmp/message.ts';
import type { Publisher } from '../destination/publisher.ts';

export interface StreamMedia {
  readonly profile: Profile;
  /**
   * How far ahead of the present a stream that goes on begins: after that time the connection stands and its first
   * picture is there.
   */
  readonly startUpMs: number;
  /**
   * Opens the media at a frame, counted from the run's anchor.
   * @param signal ends it as `close` does
   * @throws {MediaError} when nothing of the timeline can be played; {ToolError}; the signal's reason
   */
  open(startFrame: number, signal: AbortSignal): Promise<OpenMedia>;
}

/** The media of one connection. */
export interface OpenMedia {
  /** The frame that the media begins with: the one asked for, or a keyframe before it. */
  readonly startFrame: number;
  /** Sent before the media, with timestamp 0. */
  readonly sequenceHeaders: readonly MediaMessage[];
  /**
   * Sends until the connection ends, or its time is over.
   * @throws {DestinationError} when the destination ended it or takes nothing any more; {TooSlow}; whatever kept media
   * from coming
   */
  send(sending: Sending): Promise<void>;
  /** Resolves when no process and no open file of it is left. */
  close(): Promise<void>;
}

/** Through whom media is late: we encode too slowly, or the destination takes too little. */
export type Slowness = 'publisher' | 'destination';

export interface Sending {
  readonly publisher: Publisher;
  readonly figures: Figures;
  /** When the message with timestamp 0 is due, in milliseconds of the steady clock. It may lie in the past. */
  readonly startMs: number;
  readonly steadyClock: () => number;
  /** The destination has taken the first picture. */
  readonly onEvidence: () => void;
  /**
   * Called when media begins to be sent much later than its time, with who is to blame, and with null when that is
   * over.
   */
  readonly onSlow: (through: Slowness | null) => void;
  /** Told when so little media is in hand that pictures are about to be late, and when there is enough again. */
  readonly onShort: (isShort: boolean) => void;
  /**
   * Called several times a second. Once the time of the connection is over, it gets the next one ready.
   * @returns whether that is done, so that this connection ends before its next keyframe
   */
  readonly prepareEnd: () => boolean;
  /** Told, as early as it is known, with which keyframe the next connection has to go on. */
  readonly onEnding: (frame: number) => void;
}
