// The plan of a replica: its media, its target, and the time within its run.
import type { PublishTarget } from '../destination/publishing-ways.ts';
import type { StreamMedia } from './stream-media.ts';

export interface PublishPlan {
  /** The owner of the stream. */
  readonly userID: string;
  readonly target: PublishTarget;
  /** The destination's other URL, if no replica of the stream publishes to it; else null. */
  readonly freeTarget: PublishTarget | null;
  readonly media: StreamMedia;
  /** Milliseconds since the run's anchor when the plan was read; null before the first frame. */
  readonly elapsedMs: number | null;
}
