// One connection of a replica: from connecting to its end, with the media that belongs to the time at which it begins.
import { isMoveDue } from './due-move.ts';
import type { Figures } from './figures.ts';
import { metadataOf } from './metadata.ts';
import { encodeAmf0 } from './rtmp/amf0.ts';
import { connectPublisher } from './rtmp/rtmp-client.ts';
import type { PublishTarget, RtmpClientOptions } from './rtmp/rtmp-client.ts';
import type { Sending, StreamMedia } from './stream-media.ts';

export interface SessionOptions extends Pick<Sending, 'steadyClock' | 'onEvidence' | 'onSlow' | 'onEnding'> {
  readonly target: PublishTarget;
  readonly client: RtmpClientOptions;
  readonly media: StreamMedia;
  readonly figures: Figures;
  /** Milliseconds since the run's anchor, by the database's clock; null while nothing was ever sent. */
  readonly elapsedMs: number | null;
  /** Opens the media only once the connection stands, in place of meanwhile. */
  readonly connectsFirst: boolean;
  /** Fixes the anchor if no replica has yet; answers the milliseconds since. */
  readonly anchor: () => Promise<number>;
  /** Goes on where a connection ended because its time was over. */
  readonly isPlanned: boolean;
  /** Whether the connection ends before its next keyframe. @param isMoveDue the server wants that. Asked several times a second. */
  readonly isOver: (isMoveDue: boolean) => boolean;
}

/**
 * Publishes until the signal aborts or the time of the connection is over; then resolves, with it closed and no process left.
 * @returns the RTMP URL to which the server wants the next connection; null when it did not say
 * @throws DestinationError, MediaError, TooSlow, or anything else when it is our fault
 */
export async function runSession(options: SessionOptions, signal: AbortSignal): Promise<string | null> {
  if (signal.aborted) return null;
  const { target, client, media, figures, steadyClock, elapsedMs } = options;
  const framesPerMs = media.profile.framesPerSecond / 1000;
  const beganMs = steadyClock();
  const wantedFrame = () =>
    elapsedMs === null ? 0 : Math.ceil((elapsedMs + steadyClock() - beganMs + media.startUpMs) * framesPerMs);

  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener('abort', end, { once: true });
  const connecting = connectPublisher(target, { ...client, videoCodec: media.profile.videoCodec }, ending.signal);
  const opening = options.connectsFirst
    ? connecting.then(() => media.open(wantedFrame(), ending.signal))
    : media.open(wantedFrame(), ending.signal);
  try {
    const [open, publisher] = await Promise.all([opening, connecting]);
    ending.signal.addEventListener('abort', () => void publisher.close(), { once: true });
    signal.throwIfAborted();
    figures.connected(open.startFrame, options.isPlanned);
    publisher.send([
      { type: 'data', timestampMs: 0, payload: encodeAmf0(['@setDataFrame', 'onMetaData', metadataOf(media.profile)]) },
      ...open.sequenceHeaders,
    ]);
    const sinceAnchorMs = await options.anchor();
    const startMs = steadyClock() + open.startFrame / framesPerMs - sinceAnchorMs;
    const isOver = () => options.isOver(isMoveDue(publisher, steadyClock() - startMs));
    await open.send({ ...options, publisher, startMs, isOver });
    return publisher.moveRequest;
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  } finally {
    signal.removeEventListener('abort', end);
    ending.abort();
    await Promise.allSettled([connecting.then((publisher) => publisher.close()), opening.then((open) => open.close())]);
  }
}
