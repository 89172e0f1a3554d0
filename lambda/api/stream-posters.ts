// Posters of streams: found when somebody asks, and made by a worker where nobody has asked for them before.
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { Frame, FrameState } from '../data/playout/frames.ts';
import { formatOfRun } from '../data/streams/streams.ts';
import type { Stream } from '../data/streams/streams.ts';
import { posterKey, posterStripKey } from '../domain/media/content-pictures.ts';
import { occurrenceAt } from '../domain/playout/play-out.ts';
import type { TimelineEntry } from '../domain/playout/play-out.ts';
import {
  posterAt,
  posterSeconds,
  posterSizeOf,
  postersPerStrip,
  stripAheadSeconds,
} from '../domain/playout/posters.ts';
import type { Poster } from '../domain/playout/posters.ts';
import { formatName, formatOfItem } from '../domain/playout/rendition.ts';
import { framesPerSecond } from '../domain/shared/video-format.ts';
import { ProblemError } from '../operations/problem-codes.ts';
import type { ObjectStore } from '../ports/object-store/object-store.ts';
import type { StreamPoster } from '../surfaces/service.ts';

export interface PostersOptions {
  readonly pool: Pool;
  readonly objects: Pick<ObjectStore, 'presignGet'>;
}

/** So many strips are made for a user at a time: of as many streams as a page shows, with those that come next. */
const mostPending = 200;
/** Whoever waits for longer asks again. Most strips take less than a second, where a worker has time. */
const looks = { count: 12, everyMs: 500 } as const;
/** All who look in this time get the same address, and have the picture once. It opens it for as long again. */
const signedForSeconds = 300;
const mostRemembered = 5000;

/** What is to be seen at a frame of a run. */
interface Due {
  readonly objectKey: string;
  readonly wanted: Frame;
  readonly poster: Poster;
}

const keyOf = ({ objectKey, poster }: Due) => posterKey(objectKey, poster.index);

/** @returns what answers where the poster of a user's stream is */
export function createStreamPoster({ pool, objects }: PostersOptions): StreamPoster {
  const data = databaseOn(pool);
  const addresses = new LRUCache<string, string>({ max: mostRemembered, ttl: signedForSeconds * 1000 });

  return async ({ userID, streamID }) => {
    const stream = await data.streams.find(userID, streamID);
    if (!stream?.anchored_at || stream.state !== 'active') return null;
    const fromSeconds = ((await data.now()).getTime() - stream.anchored_at.getTime()) / 1000;
    const toSeconds = fromSeconds + stripAheadSeconds;
    const { video: timeline } = await data.timelines.ofStream(streamID, { fromSeconds, toSeconds });
    const due = await dueAt(stream, timeline, fromSeconds);
    const next = await dueAt(stream, timeline, toSeconds);
    // The one that somebody waits for comes first, also where only one more may be made.
    const known = due && addresses.get(keyOf(due));
    const asked = due && known === undefined ? await data.frames.ask(due.wanted, mostPending) : null;
    if (next !== null && next.objectKey !== due?.objectKey) await data.frames.ask(next.wanted, mostPending);
    if (due === null) return null;
    const url = known ?? (await urlOnceMade(due, asked?.state ?? null));
    return url === null ? null : { url, freshSeconds: due.poster.freshSeconds };
  };

  /**
   * @param asked how its strip is; null where too many are being made
   * @returns null where it cannot be made @throws {ProblemError} where it is not made in time
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

  async function dueAt(stream: Stream, timeline: readonly TimelineEntry[], seconds: number): Promise<Due | null> {
    const format = formatOfRun(stream);
    const rate = framesPerSecond[format.framerate];
    const frame = Math.max(0, Math.floor(seconds * rate));
    const { item, startFrame } = occurrenceAt(timeline, frame, rate);
    const poster = posterAt((frame - startFrame) / rate, item);
    const upload = await data.uploads.find(stream.user_id, item.uploadID);
    if (!upload) return null;
    const name = formatName(formatOfItem(format, item));
    const objectKey = posterStripKey(upload.content_hash ?? upload.id, name, poster.strip);
    const wanted: Frame = {
      object_key: objectKey,
      user_id: stream.user_id,
      upload_id: upload.id,
      frame: poster.strip * postersPerStrip * posterSeconds * rate,
      format: name,
      width: posterSizeOf(format.aspect).width,
      posters: poster.inStrip,
    };
    return { objectKey, wanted, poster };
  }
}
