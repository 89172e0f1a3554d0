// A server may ask its publisher to connect again, there or elsewhere, because it is updated or relieved: when that is done.
import type { RtmpPublisher } from './rtmp/rtmp-publisher.ts';

/** A server that asks each time would otherwise have a new connection at every keyframe. */
const earliestAfterMs = 10_000;

/**
 * Whether the connection is to end with what comes before the next keyframe, for one to `publisher.moveRequest` that begins with it.
 * @param connectedForMs since its first message was due
 */
export function isMoveDue({ moveRequest }: Pick<RtmpPublisher, 'moveRequest'>, connectedForMs: number): boolean {
  return moveRequest !== null && connectedForMs > earliestAfterMs;
}
