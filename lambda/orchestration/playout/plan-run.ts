// Plans the programmes of a stream on the air, more than a day ahead, as entries of its timeline.
// Decision D227.
import type { Database } from '../../data/database.ts';
import type { PublishedProgramme } from '../../data/programme/programmes.ts';
import type { PlannedQueue } from '../../data/programme/queued-items.ts';
import type { PartUpload } from '../../data/streams/stream-parts.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { Track } from '../../data/playout/timelines.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { lookUploads } from '../../domain/playout/look.ts';
import { msOfFrame } from '../../domain/programme/frame-grid.ts';
import type { FrameGrid } from '../../domain/programme/frame-grid.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { elapsedSecondsOf } from '../../domain/streams/run-clock.ts';
import { updateCosts } from '../destinations/reconcile-outputs.ts';
import { refreshSound } from './apply-sound.ts';
import { allowPreparedLooks } from './prepared-looks.ts';
import { entriesOfTrack, entryOfPlaying } from './plan-entries.ts';
import { placeInRun, planProgramme } from '../programme/plan-programme.ts';
import type { ProgrammePlan } from '../programme/plan-programme.ts';
import { lengthOfRun } from '../programme/plan-start.ts';
import { prepareEntries } from './prepare-entries.ts';

/** A run is planned again after this time: then it is still planned for more than a day ahead. */
const againAfterSeconds = 6 * 3600;
/** A programme with nothing to play is planned again after this time. */
const retrySeconds = 600;

export interface PlanRunOptions {
  readonly now: Date;
  readonly limitFactor: number;
  /** The frame at which a skipped row ends, and the next one begins; absent: no row is skipped. */
  readonly skipped?: { readonly track: Track; readonly frame: number };
}

/** Replaces what its programmes have planned for a stream on the air, from the next item on. */
export async function planRun(data: Database, stream: Locked<Stream>, options: PlanRunOptions): Promise<void> {
  // Without an anchor, the frames have no time yet: the anchor makes the plan due again.
  if (!isLive(stream.state) || stream.state === 'stopping' || stream.anchored_at === null) return;
  const programmes = await data.programmes.ofStreams([stream.id]);
  if (programmes.length === 0) return;
  const again: number[] = [];
  for (const programme of programmes) again.push(await planTrack(data, stream, programme, options));
  const { now, limitFactor } = options;
  await updateCosts(data, stream);
  if (stream.stream_backend === 'manifest') await allowPreparedLooks(data, stream, now);
  await refreshSound(data, stream, { now, retries: 'never', limitFactor });
  await data.dueTimes.set(stream.id, 'plan', new Date(now.getTime() + Math.min(...again) * 1000));
}

/** @returns the seconds after which the track is planned again */
async function planTrack(
  data: Database,
  stream: Locked<Stream>,
  programme: PublishedProgramme,
  options: PlanRunOptions,
): Promise<number> {
  const { now } = options;
  const timelines = await data.timelines.ofStream(stream.id, sinceNow(stream, now));
  const timeline = timelines[programme.kind];
  // A run keeps its tracks: a sound track that is published on the air plays from the next start on.
  if (timeline.length === 0) return againAfterSeconds;
  const place = placeInRun(stream, timeline, now);
  const { grid } = place;
  const skippedFrame = options.skipped?.track === programme.kind ? options.skipped.frame : null;
  const earliestFrame = skippedFrame ?? place.earliestFrame;
  const boundaryFrame = skippedFrame ?? place.boundaryFrame;
  const untilMs = now.getTime() + lengthOfRun.seconds * 1000;
  const isSkip = skippedFrame !== null;
  const changes = { earliestFrame, boundaryFrame, isSkip, untilMs, mostRows: lengthOfRun.mostRows };
  const plan = await planProgramme(data, { stream, programme, grid, ...changes });
  if (plan.rows.length === 0) {
    await data.programmes.savePlan(programme.id, programme.planned_until, nothingToPlan);
    return retrySeconds;
  }
  const uploads = await uploadsOf(data, stream, plan);
  const hasSoundTrack = timelines.audio.length > 0;
  const { seed } = timeline.at(-1)!.snapshot;
  const rows = { track: programme.kind, rows: plan.rows, framesPerSecond: grid.framesPerSecond };
  const entries = entriesOfTrack(stream, rows, { uploads, hasSoundTrack, seed });
  const format = formatOfRun(stream);
  const { limitFactor } = options;
  const failure = await prepareEntries(data, { stream, track: programme.kind, entries, format, limitFactor });
  const playing = plan.endsOtherwise && entryOfPlaying(stream, programme.kind, timeline, plan.endsOtherwise);
  await data.timelines.replaceFrom(
    stream.id,
    programme.kind,
    playing?.offsetSeconds ?? plan.fromFrame / grid.framesPerSecond,
    playing ? [playing, ...entries] : entries,
  );
  const at = new Date(msOfFrame(grid, plan.fromFrame));
  await data.programmes.saveState(programme.id, { at, state: plan.before }, now);
  await data.queuedItems.savePlan(programme.id, queueOf(plan, grid));
  const plannedUntil = new Date(msOfFrame(grid, plan.endFrame));
  await data.programmes.savePlan(programme.id, plannedUntil, failure);
  return Math.min(againAfterSeconds, (plannedUntil.getTime() - now.getTime()) / 2000);
}

function queueOf({ rows, before }: ProgrammePlan, grid: FrameGrid): PlannedQueue {
  const queued = rows.flatMap(({ queueNumber, startFrame }) =>
    queueNumber === undefined ? [] : [{ number: queueNumber, playsAt: new Date(msOfFrame(grid, startFrame)) }],
  );
  return { throughNumber: before.queuedThrough ?? 0, rows: queued };
}

const nothingToPlan = {
  code: 'nothing_to_plan',
  detail: 'No collection that the programme draws from has an upload that can be played. What was planned repeats.',
} as const;

function sinceNow({ anchored_at: anchoredAt }: Stream, now: Date) {
  return { fromSeconds: elapsedSecondsOf(anchoredAt, now), toSeconds: Infinity };
}

async function uploadsOf(data: Database, { user_id: userID, look }: Stream, { rows }: ProgrammePlan) {
  const ids = new Set([...rows.map(({ item }) => item.uploadID), ...lookUploads(look)]);
  const found = await data.streamParts.lockUploads([userID], [...ids]);
  return new Map<string, PartUpload>(found.map((upload) => [upload.id, upload]));
}
