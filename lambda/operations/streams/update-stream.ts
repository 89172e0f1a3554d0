// PATCH /streams/{id}: changes a stream, and by `status` starts or stops it.
import * as z from 'zod';
import type { Stream, StreamSettings } from '../../data/streams/streams.ts';
import { wordsOf } from '../../domain/shared/limits.ts';
import { usualLook } from '../../domain/playout/look.ts';
import { faultOfRecurrence } from '../../domain/streams/recurrence.ts';
import { isLive, streamStatuses } from '../../domain/streams/stream-lifecycle.ts';
import { changeJoins } from '../../orchestration/playout/change-joins.ts';
import { judgeParts } from '../../orchestration/streams/judge-parts.ts';
import { retryMirror as writeAgain } from '../../orchestration/channels/mirror-stream.ts';
import { armSchedule, beginSeries } from '../../orchestration/schedule/schedule.ts';
import { applyLookToLiveStream } from '../../orchestration/playout/apply-look.ts';
import { refreshSound } from '../../orchestration/playout/settle-sound.ts';
import type { Context } from '../context.ts';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { fieldProblem } from '../field-problems.ts';
import { assertOtherWay } from '../outputs/assert-output.ts';
import { ProblemError } from '../problem-codes.ts';
import { startOrRefuse } from './start-stream.ts';
import { stopOrRefuse } from './stop-stream.ts';
import { presentStream, streamFields, streamSchema } from './stream-schema.ts';
import {
  adoptPlaylists,
  assertFields,
  assertSchedule,
  assertVideoCodec,
  backendOf,
  mayChangeBackend,
  keepPlaylistsPrepared,
  mergeSettings,
} from './stream-settings.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The fields that may change while a stream is live. */
const changeableLive = new Set([
  'name',
  'streamDuration',
  'scheduleEndAt',
  'sound',
  'look',
  'status',
  'streamStateID',
  'retryMirror',
]);

export const updateStream = operation(['service:write'], {
  id: 'updateStream',
  summary: 'Update a stream',
  description:
    'An absent field stays as it is, null clears it; all of the request is applied or nothing. ' +
    'status ACTIVE starts the stream like start_stream, INACTIVE stops it. ' +
    'While live, only name, streamDuration, scheduleEndAt, status and, from the next item on, sound and look can ' +
    'change.',
  tag: 'streams',
  method: 'PATCH',
  path: '/streams/{id}',
  params: { id: pathID },
  body: z
    .strictObject({
      ...streamFields,
      status: z.enum(streamStatuses).optional(),
      retryMirror: z
        .boolean()
        .optional()
        .describe(
          "Makes the managed platform's side what is wished now, though nothing has changed. Next: read mirror.",
        ),
    })
    .meta({ examples: [{ name: 'Night loop', scheduleEndAt: null, status: 'ACTIVE' }] }),
  output: { status: 200, body: streamSchema },
  errors: [
    'not_found',
    'feature_disabled',
    'version_conflict',
    'stream_live',
    'output_exists',
    'schedule_in_past',
    'not_managed',
    'connection_needed',
    'stream_not_startable',
    'stream_not_ready',
    'limit_reached',
    'stream_not_stoppable',
    'stream_not_schedulable',
  ],
  async handle(ctx, { params, body }) {
    const { status, retryMirror, ...input } = body;
    await assertFields(ctx, input);
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    const settings = mergeSettings(ctx, stream.id, stream, input);
    assertSchedule(input, settings);
    await assertChangeable(ctx, stream, body, settings);
    assertVideoCodec(input, settings);
    if (retryMirror) await assertMirrored(ctx, settings);

    await assertOtherWay(ctx, stream, settings);
    await ctx.data.streams.saveSettings(stream.id, settings);
    await adoptPlaylists(ctx, stream.id, input.playlistIDs ?? []);
    await moveDueTimes(ctx, stream, settings);
    await keepPlaylistsPrepared(ctx, stream.id, settings);
    if (input.look !== undefined) await showAsSaid(ctx, { ...stream, ...settings });
    if (input.sound !== undefined) await takeUpSound(ctx, { ...stream, ...settings });
    if (retryMirror) await writeAgain(ctx.data, stream, ctx.now);
    const judged = await judgeParts(ctx.data, (await ctx.data.streams.lockAny(stream.id))!);
    if (status === 'ACTIVE') return presentStream(ctx, await startOrRefuse(ctx, judged));
    if (status === 'INACTIVE') return presentStream(ctx, await stopOrRefuse(ctx, judged));
    return presentStream(ctx, judged);
  },
});

/** Lets a stream that is live show its next items otherwise. */
async function showAsSaid({ data, now, settings: { limitFactor } }: Context, stream: Locked<Stream>): Promise<void> {
  const reached = await applyLookToLiveStream(data, stream, { now, limitFactor });
  if (reached) throw new ProblemError('limit_reached', wordsOf(reached));
}

/** Lets a stream that is live change its sound with its next items. */
async function takeUpSound({ data, now, settings: { limitFactor } }: Context, stream: Locked<Stream>): Promise<void> {
  if (!isLive(stream.state) || stream.state === 'stopping') return;
  await changeJoins(data, stream, 'audio', now);
  // The sound of videos may be heard under that of the track.
  await changeJoins(data, stream, 'video', now);
  await refreshSound(data, stream, { now, retries: 'at once', limitFactor });
}

/** Refuses to retry what there is nothing to retry of. */
async function assertMirrored(ctx: Context, settings: StreamSettings): Promise<void> {
  if (settings.stream_destination !== 'managed')
    throw new ProblemError('not_managed', 'retryMirror is only for streams on the managed connection.');
  const { managed_settings_id: settingsID } = settings;
  const found = settingsID === null ? null : await ctx.data.managedSettings.find(ctx.caller.userID, settingsID);
  if (!found)
    throw new ProblemError('connection_needed', 'The stream names no managed settings. Set managedSettingsID.');
}

async function assertChangeable(
  ctx: Context,
  stream: Stream,
  body: Record<string, unknown>,
  settings: StreamSettings,
): Promise<void> {
  if (body['streamStateID'] != null && body['streamStateID'] !== String(stream.last_transition_id)) {
    throw fieldProblem(
      'streamStateID',
      'This is not the last transition of the stream. Read the stream again and decide anew.',
      'version_conflict',
    );
  }
  const isSameBackend = backendOf(settings) === backendOf(stream);
  if (isLive(stream.state)) {
    const aspectOf = ({ look }: Pick<StreamSettings, 'look'>) => (look ?? usualLook).aspect;
    if (aspectOf(settings) !== aspectOf(stream))
      throw fieldProblem(
        'look/aspect',
        'The aspect of a stream cannot change while it is live. Stop it first.',
        'stream_live',
      );
    const fixed = Object.keys(body).find(
      (field) =>
        body[field] !== undefined && !changeableLive.has(field) && !(field === 'streamBackend' && isSameBackend),
    );
    if (fixed !== undefined)
      throw fieldProblem(fixed, 'This cannot be changed while the stream is live. Stop it first.', 'stream_live');
  }
  if (stream.state === 'scheduled' && settings.schedule_start_at === null) {
    throw fieldProblem(
      'scheduleStartAt',
      'A scheduled stream needs its start. Use cancel_stream_schedule to have none.',
      'stream_not_schedulable',
    );
  }
  if (!isSameBackend && !(await mayChangeBackend(ctx)))
    throw new ProblemError(
      'feature_disabled',
      'This account may choose streamBackend when it creates a stream, and not change it later. Create another ' +
        'stream with create_stream, or ask whoever runs the platform for the feature streamBackendEdit.',
    );
}

/** Moves an armed schedule to the new times, and the end and the duration of a stream that is running. */
async function moveDueTimes(ctx: Context, stream: Locked<Stream>, settings: StreamSettings): Promise<void> {
  const running = isLive(stream.state) && stream.state !== 'stopping';
  if (stream.state === 'scheduled') await rearm(ctx, stream, settings);
  if (running) await ctx.data.dueTimes.set(stream.id, 'schedule_end', settings.schedule_end_at);
  if (running && stream.started_at !== null) {
    const seconds = settings.stream_duration_seconds;
    const overAt = seconds ? new Date(stream.started_at.getTime() + seconds * 1000) : null;
    await ctx.data.dueTimes.set(stream.id, 'duration_over', overAt);
  }
}

/** With a new start, the recurrence is counted from there. With a new end, the stream is on that long each time. */
async function rearm(ctx: Context, stream: Locked<Stream>, settings: StreamSettings): Promise<void> {
  const times = { startAt: settings.schedule_start_at!, endAt: settings.schedule_end_at };
  const { recurrence } = stream;
  const moved = times.startAt.getTime() !== stream.schedule_start_at?.getTime();
  const fault = recurrence && moved ? await faultOfRecurrence(recurrence, times.startAt) : null;
  if (fault)
    throw fieldProblem('scheduleStartAt', `The recurrence of this schedule does not go on from there: ${fault.detail}`);
  const kept = recurrence && { firstStartAt: recurrence.firstStartAt, skipped: recurrence.skipped ?? [] };
  const series = recurrence && { ...beginSeries(recurrence, times), ...(moved ? {} : kept) };
  await armSchedule(ctx.data, stream, times, series);
}
