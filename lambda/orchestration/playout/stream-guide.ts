// The guide of a stream: its items without breaks, and its blocks, as the published programme shows them.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { GuideBlocks } from '../../domain/programme/guide-entries.ts';
import type { GuideEntry } from '../../domain/programme/guide-entries.ts';
import { onAirRows } from './on-air-rows.ts';
import type { OnAirQuery, OnAirRow } from './on-air-rows.ts';
import { PlannedRuns } from './planned-runs.ts';

/** The most rows that are read for a guide, ahead and back. */
const mostRows = 2000;

export type StreamGuideQuery = Pick<OnAirQuery, 'to' | 'count' | 'now'>;
export type StreamGuideEntry = GuideEntry<OnAirRow>;

/** The entries of the main track from now on, in order, beginning with the one on the air. */
export async function streamGuide(
  data: Database,
  stream: Stream,
  { to, count, now }: StreamGuideQuery,
): Promise<StreamGuideEntry[]> {
  const query = { from: now, to, track: null, drafts: null, now } as const;
  const plans = new PlannedRuns(data, stream, query);
  let [before, blocks]: [OnAirRow[] | null, GuideBlocks] = [null, new GuideBlocks(null)];
  for (let read = count; ; read = Math.min(mostRows, 4 * read)) {
    // One more row shows whether the last entry is complete.
    const { rows } = await onAirRows(data, stream, { ...query, count: read + 1 }, plans);
    if (before === null && rows[0]) {
      blocks = await blocksOf(data, stream, rows[0]);
      before = await rowsBefore(data, stream, rows[0], { now, from: blocks.lookBackOf(rows[0]), plans });
    }
    const isAll = rows.length <= read || read === mostRows;
    const entries = blocks.entriesOf([...(before ?? []), ...rows]).filter(({ endAt }) => endAt > now);
    if (isAll || entries.length > count) return withEnd(blocks, entries, rows.at(-1)).slice(0, count);
  }
}

async function blocksOf(data: Database, { id, planned_tracks }: Stream, { track }: OnAirRow): Promise<GuideBlocks> {
  const programmes = planned_tracks === null ? [] : await data.programmes.ofStreams([id]);
  return new GuideBlocks(programmes.find(({ kind }) => kind === track)?.live ?? null);
}

/** The rows from a time on that end when another one begins. */
async function rowsBefore(
  data: Database,
  stream: Stream,
  first: OnAirRow,
  { from, now, plans }: { readonly from: Date | null; readonly now: Date; readonly plans: PlannedRuns },
): Promise<OnAirRow[]> {
  if (from === null || from >= first.startAt) return [];
  const query = { from, to: first.startAt, count: mostRows, drafts: null, now };
  const { rows } = await onAirRows(data, stream, { ...query, track: first.track }, plans);
  return rows.filter(({ startAt }) => startAt < first.startAt);
}

/** Entries whose last one, a block that is not known to its end, ends by its hours. */
function withEnd(
  blocks: GuideBlocks,
  entries: readonly StreamGuideEntry[],
  lastRow: OnAirRow | undefined,
): StreamGuideEntry[] {
  const last = entries.at(-1);
  const byHours = last && blocks.endByHours(last);
  if (!last || !byHours || last.endAt.getTime() !== lastRow?.endAt.getTime()) return [...entries];
  const { runEndsAt } = lastRow;
  const endAt = runEndsAt && runEndsAt < byHours ? runEndsAt : byHours;
  return [...entries.slice(0, -1), endAt > last.endAt ? { ...last, endAt } : last];
}
