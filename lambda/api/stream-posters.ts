// Posters of streams: finds them, or has a worker render those that were never requested before.
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { Frame, FrameState } from '../data/playout/frames.ts';
import { formatOfRun } from '../data/streams/streams.ts';
import type { Stream } from '../data/streams/streams.ts';
import { slateAt } from '../domain/live/slate.ts';
import { intervalAt } from '../domain/live/takeover-intervals.ts';
import { posterKey, posterStripKey } from '../domain/media/content-pictures.ts';
import {
  posterAt,
  posterSeconds,
  posterSizeOf,
  postersPerStrip,
  stripAheadSeconds,
} from '../domain/playout/posters.ts';
import type { Poster } from '../domain/playout/posters.ts';
import { framesPerSecond } from '../domain/shared/video-format.ts';
import { elapsedSecondsOf } from '../domain/streams/run-clock.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { StreamPoster } from '../surfaces/service.ts';
import { createKeptRuns } from './kept-runs.ts';
import type { KeptRun } from './kept-runs.ts';

export interface PostersOptions {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'presignGet'>;
}

/** The number of pending strips per user: for the streams of one page, with their next strips. */
const mostPending = 200;
/**
 * The wait for a strip; after it the client has to ask again. Most strips take less than a second on an idle worker.
 */
const looks = { count: 12, everyMs: 500 } as const;
/**
 * All viewers get the same URL during this time, so that they can cache the picture. The URL is valid twice as long.
 */
const signedForSeconds = 300;
const mostRemembered = 5000;
/** A strip that is needed soon is requested at most this often. */
const requestedAgainMs = 4000;

/** The poster of a frame of a run. */
interface Due {
  readonly objectKey: string;
  readonly wanted: Frame;
  readonly poster: Poster;
}

const keyOf = ({ objectKey, poster }: Due) => posterKey(objectKey, poster.index);

export function createStreamPoster({ pool, objects }: PostersOptions): StreamPoster {
  const data = databaseOn(pool);
  const runAt = createKeptRuns(data);
  const addresses = new LRUCache<string, string>({ max: mostRemembered, ttl: signedForSeconds * 1000 });
  /** Keys of strips that were requested before they are needed. */
  const requested = new LRUCache<string, true>({ max: mostRemembered, ttl: requestedAgainMs });

  return async ({ userID, streamID, beforeReading }) => {
    const stream = await data.streams.find(userID, streamID);
    if (!stream?.anchored_at || stream.state !== 'active') return null;
    const seconds = elapsedSecondsOf(stream.anchored_at, await data.now());
    const run = await runAt(stream, { fromSeconds: seconds, aheadSeconds: stripAheadSeconds, beforeReading });
    const due = dueAt(stream, run, seconds);
    const next = dueAt(stream, run, seconds + stripAheadSeconds);
    // The poster that a viewer waits for comes first, in case only one more may be rendered.
    const known = due && addresses.get(keyOf(due));
    const asked = due && known === undefined ? await data.frames.ask(due.wanted, mostPending) : null;
    if (next !== null && next.objectKey !== due?.objectKey) await requestAhead(next);
    if (due === null) return null;
    const url = async () => known ?? urlOnceMade(due, asked?.state ?? null);
    return { url, freshSeconds: due.poster.freshSeconds };
  };

  async function requestAhead({ objectKey, wanted }: Due): Promise<void> {
    if (requested.has(objectKey)) return;
    requested.set(objectKey, true);
    await data.frames.ask(wanted, mostPending);
  }

  /**
   * @param asked the state of its strip; null if the user has too many pending strips
   * @returns null if it cannot be rendered @throws {ProblemError} if it is not rendered in time
   */
  async function urlOnceMade(due: Due, asked: FrameState | null): Promise<string | null> {
    let state = asked;
    for (let look = 0; state === 'pending' && look < looks.count; look++) {
      await delay(looks.everyMs);
      state = await data.frames.stateOf(due.objectKey);
    }
    if (state === 'failed') return null;
    if (state !== 'ready') throw new ProblemError('upstream_unavailable', 'The poster is being made. Ask again.');
    const key = keyOf(due);
    const url = await objects.presignGet(key, { expiresInSeconds: 2 * signedForSeconds });
    addresses.set(key, url);
    return url;
  }
}

/** The poster that is due at a time of a run; null: its upload is deleted, or viewers see a contributor or a slate. */
function dueAt(stream: Stream, { items, takeovers }: KeptRun, seconds: number): Due | null {
  const { aspect, framerate } = formatOfRun(stream);
  const rate = framesPerSecond[framerate];
  const frame = Math.max(0, Math.floor(seconds * rate));
  if (intervalAt(takeovers, frame) || slateAt(takeovers, frame)) return null;
  const { item, originFrame, content, format } = items.find(({ endFrame }) => frame < endFrame) ?? items.at(-1)!;
  if (content === null) return null;
  const poster = posterAt((frame - originFrame) / rate, item);
  const objectKey = posterStripKey(content, format, poster.strip);
  const wanted: Frame = {
    object_key: objectKey,
    user_id: stream.user_id,
    upload_id: item.uploadID,
    frame: poster.strip * postersPerStrip * posterSeconds * rate,
    format,
    width: posterSizeOf(aspect).width,
    posters: poster.inStrip,
  };
  return { objectKey, wanted, poster };
}
