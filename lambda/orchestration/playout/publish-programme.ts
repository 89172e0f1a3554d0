// Publishes a programme: its draft is the version that the stream plays from then on.
import type { Database } from '../../data/database.ts';
import type { Programme } from '../../data/programme/programmes.ts';
import type { Locked } from '../../data/shared/locked.ts';
import { formatOfStart } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { programmeBounds } from '../../domain/programme/programme-faults.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { planStarts } from '../programme/plan-start.ts';
import type { PlannedStart } from '../programme/plan-start.ts';
import { entriesOfTrack } from './plan-entries.ts';
import { planSoon } from './plan-soon.ts';
import { prepareEntries } from './prepare-entries.ts';

/**
 * Publishes the draft of a programme. A stream on the air is planned again at once, or after a rest if it is
 * published very often; for another one, the first items are prepared.
 * @returns the published programme; null: its draft has nothing to play now, and the caller rolls back
 */
export async function publishProgramme(
  data: Database,
  { stream, programme }: { readonly stream: Locked<Stream>; readonly programme: Locked<Programme> },
  limitFactor: number,
): Promise<Programme | null> {
  const published = await data.programmes.publish(programme, programmeBounds.versions);
  const users = await data.creditAccounts.withCredits([stream.user_id]);
  const planned = await planStarts(data, [{ ...stream, planned_tracks: [programme.kind] }], users, { lock: true });
  const own = planned.get(stream.id)!.find((each) => each.programme.id === programme.id)!;
  if (own.rows.length === 0) return null;
  if (isLive(stream.state)) await planSoon(data, programme, await data.now());
  else await prepareStart(data, stream, own, limitFactor);
  return published;
}

/** Requests the preparation of the first items of a start. */
async function prepareStart(
  data: Database,
  stream: Stream,
  { programme, rows, uploads }: PlannedStart,
  limitFactor: number,
): Promise<void> {
  const format = formatOfStart(stream, (await data.users.find(stream.user_id))!);
  const track = programme.kind;
  const ofTrack = { track, rows, framesPerSecond: framesPerSecond[format.framerate] };
  const entries = entriesOfTrack(stream, ofTrack, { uploads, hasSoundTrack: track === 'audio', seed: 0 });
  const failure = await prepareEntries(data, { stream, track, entries, format, limitFactor });
  if (failure) await data.programmes.savePlan(programme.id, null, failure);
}
