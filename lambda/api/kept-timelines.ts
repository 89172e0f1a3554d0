// The timelines of prepared streams with a preview, kept for a moment and shared by all who watch them.
// Players ask for the playlist every two seconds, and entries are copies of lists of up to a thousand items.
// Decision D274.
import { LRUCache } from 'lru-cache';
import type { Database } from '../data/database.ts';
import type { Replica } from '../data/fleet/replicas.ts';
import { formatOfRun } from '../data/streams/streams.ts';
import type { Stream } from '../data/streams/streams.ts';
import { itemsPlayed } from '../domain/playout/play-out.ts';
import { elapsedSecondsOf } from '../domain/streams/run-clock.ts';
import { loadPreparedTimelines } from '../publisher/prepared/load-timelines.ts';
import type { PreparedTimelines } from '../publisher/prepared/load-timelines.ts';
import { bytesOfItem, mostKeptBytes } from './kept-bytes.ts';

/** A stream with its replicas, whose revisions count every change of the timeline. */
export interface Watched {
  readonly stream: Stream;
  readonly replicas: readonly Pick<Replica, 'timeline_revision'>[];
  readonly now: Date;
  /** Its rejection is also that of all who wait for the same timelines. */
  readonly beforeReading: () => Promise<void>;
}

/** The timelines around the present, as of their last change. Only new renditions may be missing for a moment. */
export type KeptTimelines = (watched: Watched) => Promise<PreparedTimelines>;

const keptSeconds = 4;
const mostStreams = 1000;
/** Publishers keep entries as long, and a drawing with titles of the sound shows that of the next 20 s. */
const around = { beforeSeconds: 60, afterSeconds: 60 } as const;

export function createKeptTimelines(data: Database): KeptTimelines {
  const kept = new LRUCache<string, PreparedTimelines, Watched>({
    max: mostStreams,
    maxSize: mostKeptBytes,
    sizeCalculation: bytesOf,
    ttl: keptSeconds * 1000,
    // Those who wait for timelines get them, also if others need their place meanwhile.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: { stream, now, beforeReading } }) => {
      await beforeReading();
      const seconds = elapsedSecondsOf(stream.anchored_at, now);
      const { beforeSeconds, afterSeconds } = around;
      const time = { fromSeconds: seconds - beforeSeconds, toSeconds: seconds + keptSeconds + afterSeconds };
      return loadPreparedTimelines(data, stream.id, formatOfRun(stream), time);
    },
  });
  return async (watched) => (await kept.fetch(versionOf(watched), { context: watched }))!;
}

function versionOf({ stream, replicas }: Watched): string {
  const revisions = replicas.map(({ timeline_revision: revision }) => revision);
  return JSON.stringify([stream.id, stream.anchored_at, revisions]);
}

/** About the bytes that timelines take in memory. */
function bytesOf({ video, audio }: PreparedTimelines): number {
  const items = [...video.entries, ...audio.entries].flatMap(({ snapshot }) => itemsPlayed(snapshot));
  return items.reduce((sum, { name, titles = {} }) => sum + bytesOfItem([name, ...Object.values(titles)]), 1);
}
