// What the ffmpeg backend makes the media of a stream with.
import type { Log } from '../../log.ts';
import type { Timelines } from '../../data/playout/timelines.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import type { MediaTools } from '../media/media-tools.ts';

export interface MediaOptions {
  readonly tools: MediaTools;
  readonly profile: Profile;
  /** What an item that begins now is encoded with. */
  readonly encoder: () => EncoderSettings;
  readonly loadTimelines: () => Promise<Timelines>;
  /** Answers with a URL from which ffmpeg can read an object for as long as an item lasts. */
  readonly urlOf: (objectKey: string) => Promise<string>;
  /** The file of captions with a hash; null where it is gone. */
  readonly captionsOf: (hash: string) => Promise<string | null>;
  /** When frame 0 of the run was due, in milliseconds since 1970 by the database's clock. */
  readonly anchoredAtMs: () => Promise<number>;
  readonly log: Log;
  readonly signal: AbortSignal;
}
