// PATCH /streams/{id}: changes a stream. The field `status` starts or stops it.
import * as z from 'zod';
import type { Stream } from '../../data/streams/streams.ts';
import { wordsOf } from '../../domain/shared/limits.ts';
import { usualLook } from '../../domain/playout/look.ts';
import { isLive, streamStatuses } from '../../domain/streams/stream-lifecycle.ts';
import type { StreamSettings } from '../../domain/streams/stream-settings.ts';
import { changeJoins } from '../../orchestration/playout/change-joins.ts';
import { judgeParts } from '../../orchestration/streams/judge-parts.ts';
import { retryMirror as writeAgain } from '../../orchestration/channels/mirror-stream.ts';
import { armSchedule, beginSeries, faultOfNewRecurrence } from '../../orchestration/schedule/schedule.ts';
import { applyLookToLiveStream } from '../../orchestration/playout/apply-look.ts';
import { refreshSound } from '../../orchestration/playout/apply-sound.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { fieldProblem } from '../field-problems.ts';
import { assertOtherWay } from '../outputs/assert-output.ts';
import { ProblemError } from '../problem-codes.ts';
import { startAndPresent } from './start-stream.ts';
import { stopOrRefuse } from './stop-stream.ts';
import { liveFields, mergeSettings, streamFields } from './stream-fields.ts';
import { presentStream, streamSchema } from './stream-schema.ts';
import {
  adoptPlaylists,
  assertFields,
  assertSchedule,
  assertVideoCodec,
  backendOf,
  mayChangeBackend,
  keepPlaylistsPrepared,
} from './stream-settings.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The fields of requests that a live stream accepts. */
const changeableLive: ReadonlySet<string> = new Set([...liveFields, 'status', 'streamStateID', 'retryMirror']);

export const updateStream = operation(['service:write'], {
  summary: 'Update a stream',
  description:
    'Changes a stream. Absent fields stay unchanged; null clears a field. The request is applied as a whole or ' +
    'not at all. status ACTIVE starts the stream like start_stream; INACTIVE stops it like stop_stream, ' +
    'and its recurrence continues. While live, only name, streamDuration, scheduleEndAt, status, sound and look can ' +
    'change; sound and look take effect from the next item.',
  tag: 'streams',
  route: 'PATCH /streams/{id}',
  body: z
    .strictObject({
      ...streamFields,
      status: z.enum(streamStatuses).optional(),
      retryMirror: z
        .boolean()
        .optional()
        .describe(
          "true: applies the stream's settings to the managed platform again, even if they have not changed. " +
            'Next: read mirror.',
        ),
    })
    .meta({ examples: [{ name: 'Night loop', scheduleEndAt: null, status: 'ACTIVE' }] }),
  output: { status: 200, body: streamSchema },
  errors: [
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
    const saved = await ctx.data.streams.saveSettings(stream.id, settings);
    await adoptPlaylists(ctx, stream.id, input.playlistIDs ?? []);
    await moveDueTimes(ctx, stream, settings);
    await keepPlaylistsPrepared(ctx, stream.id, settings);
    if (!isSame(stream.look, saved.look)) await applyLookSettings(ctx, { ...stream, ...settings });
    if (!isSame(stream.sound, saved.sound)) await applySoundSettings(ctx, { ...stream, ...settings });
    if (retryMirror) await writeAgain(ctx.data, stream, ctx.now);
    const judged = await judgeParts(ctx.data, (await ctx.data.streams.lockAny(stream.id))!);
    if (status === 'ACTIVE') return startAndPresent(ctx, judged);
    if (status === 'INACTIVE') return presentStream(ctx, await stopOrRefuse(ctx, judged, false));
    return presentStream(ctx, judged);
  },
});

/** Whether settings are the same, as both are read from jsonb, which has their fields in one order. */
function isSame(one: object | null, other: object | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Applies a new look to a live stream, from its next items. */
async function applyLookSettings(
  { data, now, settings: { limitFactor } }: Context,
  stream: Locked<Stream>,
): Promise<void> {
  const reached = await applyLookToLiveStream(data, stream, { now, limitFactor });
  if (reached) throw new ProblemError('limit_reached', wordsOf(reached));
}

/** Applies new sound settings to a live stream, from its next items. */
async function applySoundSettings(
  { data, now, settings: { limitFactor } }: Context,
  stream: Locked<Stream>,
): Promise<void> {
  if (!isLive(stream.state) || stream.state === 'stopping') return;
  await changeJoins(data, stream, 'audio', now);
  // The sound of videos may be mixed under the audio track.
  await changeJoins(data, stream, 'video', now);
  await refreshSound(data, stream, { now, retries: 'at once', limitFactor });
}

/** Refuses retryMirror for a stream that is not managed. */
async function assertMirrored(ctx: Context, settings: StreamSettings): Promise<void> {
  if (settings.stream_destination !== 'managed')
    throw new ProblemError('not_managed', 'retryMirror needs a stream whose streamDestination is managed.');
  const { managed_settings_id: settingsID } = settings;
  const found = settingsID === null ? null : await ctx.data.managedSettings.find(ctx.caller.userID, settingsID);
  if (!found) throw new ProblemError('connection_needed', 'The stream has no managed settings. Set managedSettingsID.');
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
      'The stream has a newer transition. Read the stream again, then decide whether to repeat the update.',
      'version_conflict',
    );
  }
  const isSameBackend = backendOf(settings) === backendOf(stream);
  if (isLive(stream.state)) {
    const aspectOf = ({ look }: Pick<StreamSettings, 'look'>) => (look ?? usualLook).aspect;
    if (aspectOf(settings) !== aspectOf(stream))
      throw fieldProblem(
        'look/aspect',
        'The aspect cannot change while the stream is live. Stop the stream first.',
        'stream_live',
      );
    const fixed = Object.keys(body).find(
      (field) =>
        body[field] !== undefined && !changeableLive.has(field) && !(field === 'streamBackend' && isSameBackend),
    );
    if (fixed !== undefined)
      throw fieldProblem(
        fixed,
        'This field cannot change while the stream is live. Stop the stream first.',
        'stream_live',
      );
  }
  if (stream.state === 'scheduled' && settings.schedule_start_at === null) {
    throw fieldProblem(
      'scheduleStartAt',
      'A scheduled stream needs a start. Use cancel_stream_schedule to remove the schedule.',
      'stream_not_schedulable',
    );
  }
  if (!isSameBackend && !(await mayChangeBackend(ctx)))
    throw new ProblemError(
      'feature_disabled',
      'This account can choose streamBackend only when it creates a stream. Create another stream with ' +
        'create_stream, or ask the operator of the platform to enable the feature streamBackendEdit.',
    );
}

/** Moves an armed schedule to the new times, and updates the end and the duration of a running stream. */
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

/** Arms the schedule again. A new start restarts the recurrence. A new end changes the length of each run. */
async function rearm(ctx: Context, stream: Locked<Stream>, settings: StreamSettings): Promise<void> {
  const times = { startAt: settings.schedule_start_at!, endAt: settings.schedule_end_at };
  const { recurrence } = stream;
  const moved = times.startAt.getTime() !== stream.schedule_start_at?.getTime();
  const fault = recurrence && moved ? await faultOfNewRecurrence(ctx.data, recurrence, times.startAt) : null;
  if (fault)
    throw fieldProblem('scheduleStartAt', `The recurrence of this schedule cannot start there: ${fault.detail}`);
  const kept = recurrence && { firstStartAt: recurrence.firstStartAt, skipped: recurrence.skipped ?? [] };
  const series = recurrence && { ...beginSeries(recurrence, times), ...(moved ? {} : kept) };
  await armSchedule(ctx.data, stream, times, series);
}
