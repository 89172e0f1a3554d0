// The statement of what a stream sent on a day: what it played, what destinations took of it, and which files that was.
// Whoever holds it computes every row of the day again (`bin/verify-on-air.ts`), so it has none of them.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { joined, within } from '../../domain/playout/aired.ts';
import { nameOfItem } from '../../domain/playout/item-title.ts';
import type { TimelineEntry, TimelineItem } from '../../domain/playout/play-out.ts';
import { framesUntilNext, itemsPlayed } from '../../domain/playout/play-out.ts';
import { bytesHashOf } from '../../domain/playout/rendition.ts';
import { runClock } from '../../domain/streams/run-clock.ts';
import { airedOfTrack, airRuns, programmeTrackOf } from './on-air-rows.ts';
import type { AirRun } from './on-air-rows.ts';

/** An item that was planned or aired. Its place in the list is its number. */
interface StatedItem {
  readonly itemID: string;
  readonly uploadID: string;
  readonly name: string | null;
  readonly kind: TimelineItem['kind'];
  readonly frames: number;
  /** SHA-256 of the file in hex; null where it was gone before it was known. */
  readonly sha256: string | null;
}

export interface StatedRun {
  readonly anchoredAt: string;
  /** Null: it goes on. */
  readonly endedAt: string | null;
  readonly framesPerSecond: number;
  readonly track: 'video' | 'audio';
  readonly items: readonly StatedItem[];
  /** Each loops from its frame on, until the next begins. The order of a shuffle follows from the seed. */
  readonly entries: readonly {
    readonly fromFrame: number;
    readonly mode: 'sequential' | 'shuffle';
    readonly seed: number;
    readonly items: readonly number[];
  }[];
  /**
   * What destinations took of the day without a gap, with its bytes; the frame of the end is the first that they did
   * not take. What goes beyond the day has a part of its bytes, in proportion.
   */
  readonly aired: readonly {
    readonly outputID: string | null;
    readonly fromFrame: number;
    readonly toFrame: number;
    readonly bytes: number;
    readonly standInUploadID: string | null;
  }[];
}

/** What a statement has at most. */
const [mostRuns, mostStretches] = [500, 20_000];
/** Of frames; more than that of a run's clock, and far less than one. */
const roundingError = 1e-5;

/** What a stream played and sent between two times; null: more than a statement has. */
export async function onAirStatement(
  data: Database,
  stream: Stream,
  from: Date,
  to: Date,
): Promise<StatedRun[] | null> {
  const now = await data.now();
  const query = { from, to, count: mostRuns + 1, track: null, drafts: null, now };
  const runs = (await airRuns(data, stream, query)).filter(({ isBegun }) => isBegun);
  if (runs.length > mostRuns) return null;
  const stated: StatedRun[] = [];
  let stretchesLeft = mostStretches;
  for (const run of runs) {
    const next = await statedRun(data, stream, run, { from, to, mostStretches: stretchesLeft });
    if (next === null) return null;
    stretchesLeft -= next.aired.length;
    stated.push(next);
  }
  return stated;
}

/** Null: more than so many stretches. */
async function statedRun(
  data: Database,
  stream: Stream,
  run: AirRun,
  limits: { readonly from: Date; readonly to: Date; readonly mostStretches: number },
): Promise<StatedRun | null> {
  const { anchoredAt, framesPerSecond: rate } = run;
  // A frame is of the day in which it begins.
  const { frameAt } = runClock(anchoredAt, rate);
  const frameFrom = (at: Date) => Math.max(0, Math.ceil(frameAt(at) - roundingError));
  const [firstFrame, endFrame] = [frameFrom(limits.from), frameFrom(limits.to)];
  const time = { fromSeconds: firstFrame / rate, toSeconds: endFrame / rate };
  const timelines = await run.timelines(time);
  const track = programmeTrackOf(timelines, time.fromSeconds);
  const entries = entriesBetween(timelines[track], time.fromSeconds, time.toSeconds);
  const aired = await data.runs.aired(stream.id, anchoredAt, firstFrame, endFrame, limits.mostStretches + 1);
  if (aired.length > limits.mostStretches) return null;
  const numbers = new Map<string, number>();
  const items: TimelineItem[] = [];
  for (const item of entries.flatMap(({ snapshot }) => itemsPlayed(snapshot))) {
    if (numbers.has(keyOf(item))) continue;
    numbers.set(keyOf(item), items.length);
    items.push(item);
  }
  const uploads = await data.runs.uploadFacts(stream.user_id, [...new Set(items.map(({ uploadID }) => uploadID))]);
  return {
    anchoredAt: anchoredAt.toISOString(),
    endedAt: run.endsAt !== null && run.endsAt <= limits.to ? run.endsAt.toISOString() : null,
    framesPerSecond: rate,
    track,
    items: items.map((item) => {
      const known = uploads.get(item.uploadID);
      const hash = item.contentHash ?? known?.contentHash ?? null;
      return {
        itemID: item.itemID,
        uploadID: item.uploadID,
        name: nameOfItem(item, known?.name, true),
        kind: item.kind,
        frames: framesUntilNext(item, rate),
        sha256: hash === null ? null : bytesHashOf(hash),
      };
    }),
    entries: entries.map(({ offsetSeconds, snapshot: { mode, seed, items: listed } }) => ({
      fromFrame: Math.round(offsetSeconds * rate),
      mode,
      seed,
      items: listed.map((item) => numbers.get(keyOf(item))!),
    })),
    aired: joined(within(airedOfTrack(aired, track), firstFrame, endFrame)),
  };
}

/** The same item may be in several snapshots, with a file that was as long and a join that was the same each time. */
function keyOf({ itemID, uploadID, durationSeconds, join }: TimelineItem): string {
  return `${itemID} ${uploadID} ${durationSeconds} ${join?.kind} ${join?.seconds}`;
}

function entriesBetween(timeline: readonly TimelineEntry[], fromSeconds: number, toSeconds: number): TimelineEntry[] {
  return timeline.filter(({ offsetSeconds }, index) => {
    const next = timeline[index + 1];
    return offsetSeconds < toSeconds && (next === undefined || next.offsetSeconds > fromSeconds);
  });
}
