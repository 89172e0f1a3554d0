// Posters of streams: finds them, or has a worker render those that were never requested before.
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { Frame, FrameState } from '../data/playout/frames.ts';
import { formatOfRun } from '../data/streams/streams.ts';
import type { Stream } from '../data/streams/streams.ts';
import { slateAt } from '../domain/live/slate.ts';
import { intervalAt, sessionStartFrame } from '../domain/live/takeover-intervals.ts';
import type { TakeoverInterval } from '../domain/live/takeover-intervals.ts';
import { posterKey, posterStripKey } from '../domain/media/content-pictures.ts';
import { livePosterKey } from '../domain/media/object-keys.ts';
import {
  posterAt,
  posterNumber,
  posterSeconds,
  posterSizeOf,
  postersPerStrip,
  stripAheadSeconds,
} from '../domain/playout/posters.ts';
import { gopSeconds } from '../domain/playout/rendition.ts';
import { framesPerSecond } from '../domain/shared/video-format.ts';
import { elapsedSecondsOf } from '../domain/streams/run-clock.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { StreamPoster } from '../surfaces/service.ts';
import { createKeptRuns } from './kept-runs.ts';
import type { KeptRun, KeptSlate } from './kept-runs.ts';

export interface PostersOptions {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'presignGet' | 'head'>;
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
  /** The strip that it belongs to; null: it is of a contributor's session, whose ingest makes it. */
  readonly strip: Frame | null;
  readonly freshSeconds: number;
}

export function createStreamPoster({ pool, objects }: PostersOptions): StreamPoster {
  const data = databaseOn(pool);
  const runAt = createKeptRuns(data);
  const addresses = new LRUCache<string, string>({ max: mostRemembered, ttl: signedForSeconds * 1000 });
  /** Keys of strips that were requested before they are needed. */
  const requested = new LRUCache<string, true>({ max: mostRemembered, ttl: requestedAgainMs });

  return async ({ userID, streamID, reserve }) => {
    const stream = await data.streams.find(userID, streamID);
    if (!stream?.anchored_at || stream.state !== 'active') return null;
    const seconds = elapsedSecondsOf(stream.anchored_at, await data.now());
    const run = await runAt(stream, { fromSeconds: seconds, aheadSeconds: stripAheadSeconds, beforeReading: reserve });
    const due = dueAt(stream, run, seconds);
    const next = dueAt(stream, run, seconds + stripAheadSeconds);
    // The poster that a viewer waits for comes first, in case only one more may be rendered.
    const known = due && addresses.get(due.objectKey);
    const asked = due?.strip && known === undefined ? await data.frames.ask(due.strip, mostPending) : null;
    if (next?.strip && next.strip.object_key !== due?.strip?.object_key) await requestAhead(next.strip);
    if (due === null) return null;
    const url = async () => {
      if (asked?.state === 'pending') await reserve();
      return known ?? (due.strip ? urlOnceMade(due, due.strip, asked?.state ?? null) : urlOfSession(due));
    };
    return { url, freshSeconds: due.freshSeconds };
  };

  async function requestAhead(strip: Frame): Promise<void> {
    if (requested.has(strip.object_key)) return;
    requested.set(strip.object_key, true);
    await data.frames.ask(strip, mostPending);
  }

  /**
   * @param asked the state of its strip; null if the user has too many pending strips
   * @returns null if it cannot be rendered @throws {ProblemError} if it is not rendered in time
   */
  async function urlOnceMade(due: Due, strip: Frame, asked: FrameState | null): Promise<string | null> {
    let state = asked;
    for (let look = 0; state === 'pending' && look < looks.count; look++) {
      await delay(looks.everyMs);
      state = await data.frames.stateOf(strip.object_key);
    }
    if (state === 'failed') return null;
    if (state !== 'ready') throw new ProblemError('upstream_unavailable', 'The poster is being made. Ask again.');
    return signed(due);
  }

  /** @returns null if the ingest has not stored it */
  async function urlOfSession(due: Due): Promise<string | null> {
    return (await objects.head(due.objectKey)) === null ? null : signed(due);
  }

  async function signed({ objectKey }: Due): Promise<string> {
    const url = await objects.presignGet(objectKey, { expiresInSeconds: 2 * signedForSeconds });
    addresses.set(objectKey, url);
    return url;
  }
}

/** The poster that is due at a time of a run; null: its upload is deleted. */
function dueAt(stream: Stream, run: KeptRun, seconds: number): Due | null {
  const { framerate } = formatOfRun(stream);
  const frame = Math.max(0, Math.floor(seconds * framesPerSecond[framerate]));
  const interval = intervalAt(run.takeovers, frame);
  if (interval) return ofSession(interval, frame, framesPerSecond[framerate]);
  const slate = slateAt(run.takeovers, frame);
  if (!slate) {
    const shown = run.items.find(({ endFrame }) => frame < endFrame) ?? run.items.at(-1)!;
    return ofUpload(stream, shown, frame - shown.originFrame);
  }
  const shown = run.slates.get(slate.uploadID);
  return shown ? ofUpload(stream, shown, frame - slate.fromFrame) : null;
}

function ofUpload(stream: Stream, { item, content, format }: KeptSlate, elapsedFrames: number): Due | null {
  if (content === null) return null;
  const { aspect, framerate } = formatOfRun(stream);
  const rate = framesPerSecond[framerate];
  const elapsedSeconds = elapsedFrames / rate;
  // A slate is repeated; of an item, the elapsed time is within its duration.
  const isRepeated = item.durationSeconds > 0 && elapsedSeconds > item.durationSeconds;
  const poster = posterAt(isRepeated ? elapsedSeconds % item.durationSeconds : elapsedSeconds, item);
  const stripKey = posterStripKey(content, format, poster.strip);
  const strip: Frame = {
    object_key: stripKey,
    user_id: stream.user_id,
    upload_id: item.uploadID,
    frame: poster.strip * postersPerStrip * posterSeconds * rate,
    format,
    width: posterSizeOf(aspect).width,
    posters: poster.inStrip,
  };
  return { objectKey: posterKey(stripKey, poster.index), strip, freshSeconds: poster.freshSeconds };
}

function ofSession(interval: TakeoverInterval, frame: number, rate: number): Due {
  const elapsedFrames = frame - sessionStartFrame(interval, gopSeconds * rate);
  const poster = posterAt(elapsedFrames / rate, { kind: 'video', durationSeconds: Infinity });
  const objectKey = livePosterKey(interval.sessionID, posterNumber(poster));
  return { objectKey, strip: null, freshSeconds: poster.freshSeconds };
}
