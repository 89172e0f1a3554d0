// The snapshot that follows another one on air: a change to a list does not begin the list again.
import { sha256 } from '../shared/sha256.ts';
import { lateItems, orderOfLap, randomNumbers } from './lap-order.ts';
import { itemsPlayed, occurrenceAt } from './play-out.ts';
import type { TimelineEntry, TimelineSnapshot } from './play-out.ts';
import { frameBeforeQueue } from './queued-items.ts';

export const continuations = ['continue', 'first'] as const;
/** The first item of a list that is published on air: the one after the present item, or the first of the list. */
export type Continuation = (typeof continuations)[number];

/**
 * The snapshot as it follows a timeline from a frame on, where an item ends. Decision D215.
 * - `continue`, in sequence: begins after the item that plays, or with the next one of its lap that is still listed.
 * - `continue`, in shuffle: the rest of the lap with the added items among it, then laps of all items.
 * - `first`: begins a lap, in shuffle with none of the items that were heard last in its first third.
 * Queued items count for nothing: it continues the list before them.
 */
export function following(
  timeline: readonly TimelineEntry[],
  frame: number,
  framesPerSecond: number,
  next: TimelineSnapshot,
  from: Continuation = 'continue',
): TimelineSnapshot {
  const leftAt = frameBeforeQueue(timeline, frame, framesPerSecond);
  if (leftAt === 0) return next;
  const playing = occurrenceAt(timeline, leftAt - 1, framesPerSecond);
  const { snapshot } = timeline.find(({ number }) => number === playing.entryNumber)!;
  const order = orderOfLap(snapshot, playing.lap).map(({ itemID }) => itemID);
  const after = order.indexOf(playing.item.itemID) + 1;
  const lap = { items: itemsPlayed(snapshot), heard: order.slice(0, after), rest: order.slice(after) };
  if (next.mode === 'sequential') return from === 'first' ? next : rotated(next, playing.item.itemID, lap.rest);
  const begun = playing.lap === 0 ? (snapshot.lapUnderWay?.heard ?? []) : [];
  return inShuffle(next, { ...lap, heard: [...begun, ...lap.heard] }, from);
}

/** The seed of a start. It is known beforehand, so that the plan of a scheduled start comes true. Decision D216. */
export function seedOfStart(streamID: string, scheduledAt: Date): number {
  return Number.parseInt(sha256(`${streamID} ${scheduledAt.toISOString()}`).slice(0, 8), 16) & 0x7fffffff;
}

/** The seed of the snapshot that follows one with another seed. It is known beforehand, so that a plan comes true. */
export function seedAfter(seed: number): number {
  return (Math.imul(seed, 0x2c9277b5) + 0x1b873593) & 0x7fffffff;
}

/** The items in their order, beginning after the one that plays. */
function rotated(next: TimelineSnapshot, playingID: string, rest: readonly string[]): TimelineSnapshot {
  const { items } = next;
  const placeOf = (id: string) => items.findIndex(({ itemID }) => itemID === id);
  const playing = placeOf(playingID);
  const kept = rest.map(placeOf).find((place) => place >= 0) ?? 0;
  const begins = playing >= 0 ? (playing + 1) % items.length : kept;
  return { ...next, items: [...items.slice(begins), ...items.slice(0, begins)] };
}

interface HeardLap extends Pick<TimelineSnapshot, 'items'> {
  readonly heard: readonly string[];
  readonly rest: readonly string[];
}

function inShuffle(next: TimelineSnapshot, lap: HeardLap, from: Continuation): TimelineSnapshot {
  const listed = new Set(next.items.map(({ itemID }) => itemID));
  const known = new Set(lap.items.map(({ itemID }) => itemID));
  const heard = lap.heard.filter((id) => listed.has(id)).slice(-lateItems(next.items.length));
  if (from === 'first') return { ...next, isSpread: true, lapUnderWay: { heard, rest: [] } };
  const rest = lap.rest.filter((id) => listed.has(id));
  const random = randomNumbers(next.seed);
  for (const { itemID } of next.items.filter((item) => !known.has(item.itemID)))
    rest.splice(Math.floor(random() * (rest.length + 1)), 0, itemID);
  return { ...next, isSpread: true, lapUnderWay: { heard, rest } };
}
