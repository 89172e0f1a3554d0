// Lets a stream that is live join its items as it says by now, from the next item on, and go on in their order.
import type { Database } from '../data/database.ts';
import type { Stream } from '../data/streams.ts';
import { occurrenceAt, orderOfLap } from '../domain/play-out.ts';
import type { TimelineItem, TimelineSnapshot } from '../domain/play-out.ts';
import { withJoins } from '../domain/sound-joins.ts';
import { framesPerSecond } from '../domain/video-format.ts';
import { takeOverSeconds } from './publish-draft.ts';

/** Takes up the setting of a stream, which the caller has locked. */
export async function changeJoins(data: Database, stream: Stream, now: Date): Promise<void> {
  const timeline = (await data.timelines.ofStream(stream.id)).audio;
  const last = timeline.at(-1);
  if (!last) return;
  const { playlistID } = last;
  const { mode } = last.snapshot;
  // Levels are rows of the run, and no part of its snapshots.
  const before = last.snapshot.items.map(({ levels, join, ...item }) => ({ item, levels, join }));
  const items = withJoins(
    before.map(({ item }) => item),
    stream.sound?.join,
  );
  const isSame = items.every(({ join }, index) => {
    const { join: joinBefore } = before[index]!;
    return join?.kind === joinBefore?.kind && join?.seconds === joinBefore?.seconds;
  });
  if (isSame) return;
  const begin = (offsetSeconds: number, snapshot: TimelineSnapshot) =>
    data.timelines.append(stream.id, 'audio', { offsetSeconds, playlistID, snapshot });
  if (stream.anchored_at === null) return begin(0, { ...last.snapshot, items });
  const takesOverAt = takeOverSeconds(stream, timeline, now);
  if (last.offsetSeconds >= takesOverAt) return begin(last.offsetSeconds, { ...last.snapshot, items });
  const rate = framesPerSecond[stream.run_framerate!];
  const frame = Math.round(takesOverAt * rate);
  const next = occurrenceAt(timeline, frame, rate).item;
  if (mode === 'sequential') return begin(takesOverAt, { ...last.snapshot, items: from(items, next.itemID) });
  const playing = occurrenceAt(timeline, frame - 1, rate).item;
  return begin(takesOverAt, drawnAnew({ ...last.snapshot, items }, playing.itemID));
}

/** The items in their order, from one of them on. */
function from(items: readonly TimelineItem[], itemID: string): TimelineItem[] {
  const at = items.findIndex((item) => item.itemID === itemID);
  return [...items.slice(at), ...items.slice(0, at)];
}

/** Another order, which does not begin with an item. */
function drawnAnew(snapshot: TimelineSnapshot, itemID: string): TimelineSnapshot {
  const next = { ...snapshot, seed: (snapshot.seed + 1) % 2 ** 31 };
  const begins = orderOfLap(next, 0)[0]!.itemID === itemID;
  return begins && snapshot.items.length > 1 ? drawnAnew(next, itemID) : next;
}
