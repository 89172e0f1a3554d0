// The media of a stream as its connections see it, for every backend.
import type { Figures } from './figures.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { MediaMessage } from '../rtmp/message.ts';
import type { Publisher } from '../destination/publisher.ts';

export interface StreamMedia {
  readonly profile: Profile;
  /**
   * Milliseconds ahead of the present at which a connection begins: the time to connect and to open the media.
   */
  readonly startUpMs: number;
  /**
   * Opens the media at a frame, counted from the run's anchor.
   * @param signal ends it as `close` does
   * @throws {MediaError} when no item of the timeline can be played; {ToolError}; the signal's reason
   */
  open(startFrame: number, signal: AbortSignal): Promise<OpenMedia>;
}

/** The media of one connection. */
export interface OpenMedia {
  /** The first frame of the media: the requested one, or a keyframe before it. */
  readonly startFrame: number;
  /** Sent before the media, with timestamp 0. */
  readonly sequenceHeaders: readonly MediaMessage[];
  /**
   * Sends until the connection ends, or its time is over.
   * @throws {DestinationError} when the destination closed the connection or accepts nothing; {TooSlow}; any error of
   * the media
   */
  send(sending: Sending): Promise<void>;
  /** Closes the media. Resolves when no process and no open file of it is left. */
  close(): Promise<void>;
}

/** The cause of late media: we encode too slowly, or the destination accepts too little. */
export type Slowness = 'publisher' | 'destination';

export interface Sending {
  readonly publisher: Publisher;
  readonly figures: Figures;
  /** The time when timestamp 0 is due, in milliseconds of the steady clock. May be in the past. */
  readonly startMs: number;
  readonly steadyClock: () => number;
  /** Called when the destination has accepted the first picture. */
  readonly onEvidence: () => void;
  /**
   * Called with the cause when media begins to be sent much too late, and with null when that is over.
   */
  readonly onSlow: (through: Slowness | null) => void;
  /**
   * Called while media is late through the destination, with whether it takes pictures, which are paid for. After a
   * part was left out, it counts as taking none for as long as that part. Decision D16.
   */
  readonly onTaking: (isTaking: boolean) => void;
  /** Called when so little media is ready that pictures are about to be late, and when there is enough again. */
  readonly onShort: (isShort: boolean) => void;
  /**
   * Called several times a second. Once the connection's time is over, it prepares the next connection.
   * @returns whether that is done, so that this connection can end before its next keyframe
   */
  readonly prepareEnd: () => boolean;
  /** Called with the keyframe at which the next connection must continue, as soon as it is known. */
  readonly onEnding: (frame: number) => void;
}
