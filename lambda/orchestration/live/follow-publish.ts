// A takeover that ends with a window ends with it as well when a publish of a programme changes the window.
import type { Database } from '../../data/database.ts';
import type { Programme, StoredRules } from '../../data/programme/programmes.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { blockWindowsOf, takeWindowOf } from '../../domain/live/block-windows.ts';
import { budgetOf, inTurns } from '../programme/planning-turns.ts';

/**
 * Moves the planned end of the open takeover of a stream to that of its window; to now if there is no window any more.
 * An end that a user chose stays.
 * @param programme as it was before the publish
 */
export async function followPublish(
  data: Database,
  { stream, programme }: { readonly stream: Locked<Stream>; readonly programme: Locked<Programme> },
  now: Date,
): Promise<void> {
  const { id, live, draft } = programme;
  if (stream.anchored_at === null || !(namesInput(draft) || (live && namesInput(live)))) return;
  const open = await data.takeovers.openOf(stream.id);
  if (!open?.live_input_id || open.end_at === null) return;
  const input = await data.liveInputs.find(stream.user_id, open.live_input_id);
  if (!input) return;
  const published = await data.programmes.ofStreams([stream.id]);
  const others = published.filter((each) => each.id !== id).map((each) => each.live);
  const windowBy = async (rules: readonly StoredRules[]) =>
    takeWindowOf(input, await inTurns(budgetOf(data), (turn) => blockWindowsOf(input, rules, now, turn)), now);
  const before = await windowBy(live ? [...others, live] : others);
  if (before?.until?.getTime() !== open.end_at.getTime()) return;
  const after = await windowBy(published.map((each) => each.live));
  await data.takeovers.planEnd(open.id, after ? after.until : now);
}

function namesInput({ blocks }: StoredRules): boolean {
  return blocks.some(({ liveInputID }) => liveInputID !== undefined);
}
