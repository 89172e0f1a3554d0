// What a replica publishes, where to, and where in its run it is.
import type { PublishTarget } from '../destination/publishing-ways.ts';
import type { StreamMedia } from './stream-media.ts';

export interface PublishPlan {
  /** Whose stream it is. */
  readonly userID: string;
  readonly target: PublishTarget;
  /** The destination's other URL, where no replica of the stream publishes; null without one. */
  readonly freeTarget: PublishTarget | null;
  readonly media: StreamMedia;
  /** Milliseconds since the run's anchor when the plan was read; null before the first frame. */
  readonly elapsedMs: number | null;
}
