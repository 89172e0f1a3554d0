// One connection of a replica, from connecting to its end, with the media that is due when it begins.
import { bytesPerSecondOf } from '../ffmpeg/profile.ts';
import { connectTo } from '../destination/connect-to.ts';
import type { PublishTarget } from '../destination/publishing-ways.ts';
import type { PublishOptions } from '../destination/publisher.ts';
import type { Publisher } from '../destination/publisher.ts';
import type { Figures } from './figures.ts';
import type { Sending, StreamMedia } from './stream-media.ts';

export interface PublishConnectionOptions extends Pick<
  Sending,
  'steadyClock' | 'onEvidence' | 'onSlow' | 'onTaking' | 'onShort' | 'onEnding'
> {
  readonly target: PublishTarget;
  readonly client: PublishOptions;
  /** Waits until one more connection may be made for the user and to the host. @returns the end of that turn */
  readonly takeTurn: (signal: AbortSignal) => Promise<() => void>;
  readonly media: StreamMedia;
  readonly figures: Figures;
  /** Milliseconds since the run's anchor, by the database's clock; null if nothing was ever sent. */
  readonly elapsedMs: number | null;
  /** Whether the media is opened only after the connection is made, instead of at the same time. */
  readonly connectsFirst: boolean;
  /** Sets the anchor of the run if no replica has. @returns the milliseconds since it */
  readonly anchor: () => Promise<number>;
  /** Whether the connection continues one whose time was over. */
  readonly isPlanned: boolean;
  /** See `Sending`. @param isMoveDue whether the server asks for another connection in place of this one */
  readonly prepareEnd: (isMoveDue: boolean) => boolean;
}

/** Earliest time to follow a server's request to connect elsewhere. Else it could cause a move at every keyframe. */
const earliestMoveAfterMs = 10_000;

/**
 * Publishes until the signal aborts or the connection's time is over. Then resolves, with the connection closed and no
 * process left.
 * @returns the URL that the server asks the next connection to use; null if none
 * @throws {DestinationError} {MediaError} {TooSlow}, or any other error when it is our fault
 */
export async function runConnection(options: PublishConnectionOptions, signal: AbortSignal): Promise<string | null> {
  if (signal.aborted) return null;
  const { media, figures, steadyClock, elapsedMs } = options;
  const framesPerMs = media.profile.framesPerSecond / 1000;
  const beganMs = steadyClock();
  /** The frame that is due when media opened now can be sent. */
  const firstFrame = () => {
    if (elapsedMs === null) return 0;
    const presentMs = elapsedMs + steadyClock() - beganMs;
    return Math.ceil((presentMs + media.startUpMs) * framesPerMs);
  };

  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener('abort', end, { once: true });
  const open = () => media.open(firstFrame(), ending.signal);
  const turn = options.takeTurn(ending.signal);
  const connecting = turn.then((endTurn) => connect(options, ending.signal).finally(endTurn));
  // The media of a planned connection is already open, and must be closed even if no turn comes.
  const opensAfter = options.connectsFirst ? connecting : options.isPlanned ? Promise.resolve() : turn;
  const opening = opensAfter.then(open);
  try {
    const [opened, publisher] = await Promise.all([opening, connecting]);
    ending.signal.addEventListener('abort', () => void publisher.close(), { once: true });
    signal.throwIfAborted();
    figures.connected(opened.startFrame, options.isPlanned);
    const originMs = opened.startFrame / framesPerMs;
    publisher.begin({ profile: media.profile, originMs, sequenceHeaders: opened.sequenceHeaders });
    const sinceAnchorMs = await options.anchor();
    const startMs = steadyClock() + originMs - sinceAnchorMs;
    const prepareEnd = () => options.prepareEnd(isMoveDue(publisher, steadyClock() - startMs));
    await opened.send({ ...options, publisher, startMs, prepareEnd });
    return publisher.moveRequest;
  } catch (error) {
    if (!signal.aborted) throw error;
    return null;
  } finally {
    signal.removeEventListener('abort', end);
    ending.abort();
    figures.disconnected();
    const isTaken = await closeBoth(connecting, opening);
    figures.aired.closed(isTaken ? (signal.aborted ? 'all but the last' : 'all') : 'what is known');
  }
}

function connect({ target, client, media }: PublishConnectionOptions, signal: AbortSignal): Promise<Publisher> {
  const { profile } = media;
  const clientOptions = { ...client, videoCodec: profile.videoCodec, bytesPerSecond: bytesPerSecondOf(profile) };
  return connectTo(target, clientOptions, signal);
}

/** Closes the destination and the media. @returns whether the destination took all that was sent */
async function closeBoth(
  connecting: Promise<Publisher>,
  opening: Promise<{ close(): Promise<unknown> | void }>,
): Promise<boolean> {
  const closing = connecting.then(async (publisher) => {
    await publisher.close();
    return publisher.tookAll;
  });
  const [tookAll] = await Promise.allSettled([closing, opening.then((opened) => opened.close())]);
  return tookAll.status === 'fulfilled' && tookAll.value;
}

/**
 * Whether to follow a server's request to connect again or elsewhere, as when it is updated.
 * @param sendingForMs milliseconds since the first message of the connection was due
 */
function isMoveDue({ moveRequest }: Publisher, sendingForMs: number): boolean {
  return moveRequest !== null && sendingForMs > earliestMoveAfterMs;
}
