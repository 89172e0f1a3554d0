// What a stream's media is to its connections, whichever backend it comes from.
import type { Figures } from './figures.ts';
import type { Profile } from './ffmpeg/profile.ts';
import type { MediaMessage } from './rtmp/message.ts';
import type { RtmpPublisher } from './rtmp/rtmp-publisher.ts';

export interface StreamMedia {
  readonly profile: Profile;
  /** How far ahead of the present a run that goes on begins: by then the connection stands and its first picture is there. */
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
  /** What it begins with: the frame asked for, or a keyframe before it. */
  readonly startFrame: number;
  /** Sent before the media, with timestamp 0. */
  readonly sequenceHeaders: readonly MediaMessage[];
  /**
   * Sends until the connection ends, or its time is over.
   * @throws {DestinationError} when the destination ended it or takes nothing any more; {TooSlow}; whatever kept media from coming
   */
  send(sending: Sending): Promise<void>;
  /** Resolves when nothing of it is left. */
  close(): Promise<void>;
}

export interface Sending {
  readonly publisher: RtmpPublisher;
  readonly figures: Figures;
  /** Steady milliseconds at which the message with timestamp 0 is due, also when that is over. */
  readonly startMs: number;
  readonly steadyClock: () => number;
  /** The destination has taken the first picture. */
  readonly onEvidence: () => void;
  /** Media is sent much later than its time, through whom; called when that begins, and with null when it is over. */
  readonly onSlow: (through: 'publisher' | 'destination' | null) => void;
  /** Whether the time of the connection is over, so that it ends before its next keyframe. Asked several times a second. */
  readonly isOver: () => boolean;
  /** Told, as early as it is known, with which keyframe the next connection has to go on. */
  readonly onEnding: (frame: number) => void;
}
