// The options of the ffmpeg backend's media.
import type { Log } from '../../log.ts';
import type { Timelines } from '../../data/playout/timelines.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { MediaTools } from '../media/media-tools.ts';

export interface MediaOptions {
  readonly tools: MediaTools;
  readonly profile: Profile;
  /** The encoder settings for an item that begins now. */
  readonly encoder: () => EncoderSettings;
  /**
   * The decode cost of sources that the agent has room for; null or absent: any. An item that costs more has the lowest
   * priority and few threads, as it would delay the other streams of the machine. Decision D291.
   */
  readonly mostDecodeCost?: () => number | null;
  readonly loadTimelines: () => Promise<Timelines>;
  /** A URL for ffmpeg that is valid for as long as an item lasts. */
  readonly urlOf: (objectKey: string) => Promise<string>;
  /** The captions file with a hash; null if it was deleted. */
  readonly captionsOf: (hash: string) => Promise<string | null>;
  /** The time when frame 0 of the run was due, in milliseconds since 1970 by the database's clock. */
  readonly anchoredAtMs: () => Promise<number>;
  readonly log: Log;
  readonly signal: AbortSignal;
}
