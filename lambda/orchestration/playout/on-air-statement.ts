// The on-air statement of a day of a stream: its timelines, the accepted frames, and the hashes of the files.
// A holder of the statement computes every row of the day from it (`bin/verify-on-air.ts`), so it has no rows.
import type { Database } from '../../data/database.ts';
import { partsOf } from '../../data/playout/run-parts.ts';
import type { RunTime, Track } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { isSessionID } from '../../domain/live/session-ids.ts';
import { joined, within } from '../../domain/playout/aired.ts';
import type { AiredFrames } from '../../domain/playout/aired.ts';
import { nameOfItem } from '../../domain/playout/item-title.ts';
import type { ItemOrder } from '../../domain/playout/item-order.ts';
import type { PlayedItem, TimelineEntry, TimelineItem, TimelineSnapshot } from '../../domain/playout/play-out.ts';
import { framesOfPart, itemsPlayed } from '../../domain/playout/play-out.ts';
import { bytesHashOf } from '../../domain/playout/rendition.ts';
import { runClock } from '../../domain/streams/run-clock.ts';
import { airedOfTrack, begunRuns, mainTrackOf } from './on-air-rows.ts';
import type { AirRun } from './on-air-rows.ts';

/** An item, or a part of one, that was planned or aired. Its index in the list is its number. */
interface StatedItem {
  readonly itemID: string;
  readonly uploadID: string;
  readonly name: string | null;
  readonly kind: TimelineItem['kind'];
  readonly frames: number;
  /** The time in the file at which the item, or the part of it, begins; absent: the beginning of the file. */
  readonly fromSeconds?: number;
  /** The order of an advertiser that it belongs to; absent: none. */
  readonly order?: ItemOrder;
  /** SHA-256 of the file in hex; null: the file was deleted before it was known. */
  readonly sha256: string | null;
}

/** The numbers of the items of an entry, and all that decides their order. See `TimelineSnapshot`. */
interface StatedEntry extends Pick<TimelineSnapshot, 'mode' | 'seed' | 'isSpread'> {
  readonly fromFrame: number;
  readonly items: readonly number[];
  readonly lapUnderWay?: { readonly heard: readonly number[]; readonly rest: readonly number[] };
}

export interface StatedRun {
  readonly anchoredAt: string;
  /** Null: it continues. */
  readonly endedAt: string | null;
  readonly framesPerSecond: number;
  readonly track: 'video' | 'audio';
  readonly items: readonly StatedItem[];
  /** Each entry loops from its frame on until the next one begins. */
  readonly entries: readonly StatedEntry[];
  /**
   * Stretches of the day that destinations accepted without a gap, with their bytes. `toFrame` is exclusive. A stretch
   * that exceeds the day has a proportional part of its bytes.
   */
  readonly aired: readonly {
    readonly outputID: string | null;
    readonly fromFrame: number;
    readonly toFrame: number;
    readonly bytes: number;
    /** The upload, or the live session, in place of the item; null: the item itself. */
    readonly standInUploadID: string | null;
  }[];
  /** The live sessions among these stretches. Absent: none. */
  readonly sessions?: readonly StatedSession[];
}

/** A session of a contributor that took the stream over. */
interface StatedSession {
  readonly id: string;
  /** The name of its live input. */
  readonly name: string;
  /** Segments of two seconds that were stored of it. */
  readonly segments: number;
  /** The chain of their hashes in hex: see `withSegment`; null: unknown. */
  readonly sha256: string | null;
}

/** The most runs and stretches of a statement. */
const [mostRuns, mostStretches] = [500, 20_000];
/** The most items of all entries of a run in a statement, with 3 bytes at least each. */
const mostListed = 1_000_000;
/** In frames: more than the error of a run's clock, and far less than a frame. */
const roundingError = 1e-5;

/** The runs of a stream between two times; null: more than a statement has. */
export async function onAirStatement(
  data: Database,
  stream: Stream,
  from: Date,
  to: Date,
): Promise<StatedRun[] | null> {
  const now = await data.now();
  const query = { from, to, count: mostRuns + 1, track: null, drafts: null, now };
  const runs = await begunRuns(data, stream, query);
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

/** The statement of one run; null: too many stretches. */
async function statedRun(
  data: Database,
  stream: Stream,
  run: AirRun,
  limits: { readonly from: Date; readonly to: Date; readonly mostStretches: number },
): Promise<StatedRun | null> {
  const { anchoredAt, framesPerSecond: rate } = run;
  // A frame belongs to the day in which it begins.
  const { frameAt } = runClock(anchoredAt, rate);
  const frameFrom = (at: Date) => Math.max(0, Math.ceil(frameAt(at) - roundingError));
  const [firstFrame, endFrame] = [frameFrom(limits.from), frameFrom(limits.to)];
  const time = { fromSeconds: firstFrame / rate, toSeconds: endFrame / rate };
  const aired = await data.runs.aired(stream.id, anchoredAt, firstFrame, endFrame, limits.mostStretches + 1);
  if (aired.length > limits.mostStretches) return null;
  const played = await playedBetween(run, time);
  if (played === null) return null;
  const { track, items, entries } = played;
  const uploads = await data.runs.uploadFacts(stream.user_id, [...new Set(items.map(({ item }) => item.uploadID))]);
  const stated = joined(within(airedOfTrack(aired, track), firstFrame, endFrame));
  const sessions = await statedSessions(data, stated);
  return {
    anchoredAt: anchoredAt.toISOString(),
    endedAt: run.endsAt !== null && run.endsAt <= limits.to ? run.endsAt.toISOString() : null,
    framesPerSecond: rate,
    track,
    items: items.map(({ item, part }) => {
      const known = uploads.get(item.uploadID);
      const fromSeconds = (item.reading?.fromSeconds ?? 0) + (part?.fromSeconds ?? 0);
      const hash = item.contentHash ?? known?.contentHash ?? null;
      return {
        itemID: item.itemID,
        uploadID: item.uploadID,
        name: nameOfItem(item, known?.name, true),
        kind: item.kind,
        frames: framesOfPart({ item, part }, rate).frameCount,
        ...(fromSeconds > 0 && { fromSeconds }),
        ...(item.order && { order: item.order }),
        sha256: hash === null ? null : bytesHashOf(hash),
      };
    }),
    entries,
    aired: stated.map(({ standInID, ...stretch }) => ({ ...stretch, standInUploadID: standInID })),
    ...(sessions.length > 0 && { sessions }),
  };
}

interface PlayedBetween {
  readonly track: Track;
  /** Each once. */
  readonly items: readonly PlayedItem[];
  readonly entries: StatedRun['entries'];
}

/** The items and the entries of a run between two times; null: more numbers of items than a statement has. */
async function playedBetween(run: AirRun, time: RunTime): Promise<PlayedBetween | null> {
  const items: PlayedItem[] = [];
  const numbers = new Map<string, number>();
  const entries: StatedRun['entries'][number][] = [];
  let track: Track | null = null;
  let [lastNumber, listed] = [-1, 0];
  for await (const { timelines, fromSeconds, untilSeconds } of partsOf(run.partOf, time)) {
    track ??= mainTrackOf(timelines, time.fromSeconds);
    const found = entriesBetween(timelines[track], fromSeconds, Math.min(untilSeconds, time.toSeconds));
    for (const { number, offsetSeconds, snapshot } of found) {
      if (number <= lastNumber) continue;
      lastNumber = number;
      for (const played of playedItems(snapshot)) {
        if (numbers.has(keyOf(played))) continue;
        numbers.set(keyOf(played), items.length);
        items.push(played);
      }
      const entry = statedEntry(snapshot, Math.round(offsetSeconds * run.framesPerSecond), numbers);
      entries.push(entry);
      listed += entry.items.length;
      if (listed > mostListed) return null;
    }
  }
  return { track: track!, items, entries };
}

function statedEntry(
  snapshot: TimelineSnapshot,
  fromFrame: number,
  numbers: ReadonlyMap<string, number>,
): StatedRun['entries'][number] {
  const { mode, seed, items: listed, isSpread, lapUnderWay } = snapshot;
  const numberOf = (played: PlayedItem) => numbers.get(keyOf(played))!;
  const byID = new Map(listed.map((item) => [item.itemID, numberOf({ item })]));
  const numbersOf = (ids: readonly string[]) => ids.map((id) => byID.get(id)!);
  const underWay = lapUnderWay && { heard: numbersOf(lapUnderWay.heard), rest: numbersOf(lapUnderWay.rest) };
  return {
    fromFrame,
    mode,
    seed,
    items: playedItems(snapshot).map(numberOf),
    ...(isSpread && { isSpread }),
    ...(underWay && { lapUnderWay: underWay }),
  };
}

/** The facts of the sessions among stretches. Those of deleted inputs are left out. */
async function statedSessions(data: Database, aired: readonly AiredFrames[]): Promise<StatedSession[]> {
  const sent = aired.flatMap(({ standInID }) => (standInID !== null && isSessionID(standInID) ? [standInID] : []));
  if (sent.length === 0) return [];
  const proven = await data.liveSessions.proven([...new Set(sent)]);
  return [...proven].map(([id, { name, count, sha256 }]) => ({
    id,
    name,
    segments: count,
    sha256: sha256?.toString('hex') ?? null,
  }));
}

/** The items of a snapshot in their order, each with its part. In shuffle, the order of laps follows from it. */
function playedItems(snapshot: TimelineSnapshot): PlayedItem[] {
  const listed = itemsPlayed(snapshot);
  const inOrder = snapshot.order?.map((place) => listed[place]!) ?? listed;
  return inOrder.map((item, place) => ({ item, part: snapshot.parts?.[place] }));
}

/** Identifies an item across snapshots, as long as its file length, its part, its join and its order stay. */
function keyOf({ item: { itemID, uploadID, durationSeconds, join, order }, part }: PlayedItem): string {
  const played = part ? ` ${part.fromSeconds} ${part.untilSeconds}` : '';
  return `${itemID} ${uploadID} ${durationSeconds} ${join?.kind} ${join?.seconds} ${JSON.stringify(order)}${played}`;
}

function entriesBetween(timeline: readonly TimelineEntry[], fromSeconds: number, toSeconds: number): TimelineEntry[] {
  return timeline.filter(({ offsetSeconds }, index) => {
    const next = timeline[index + 1];
    return offsetSeconds < toSeconds && (next === undefined || next.offsetSeconds > fromSeconds);
  });
}
