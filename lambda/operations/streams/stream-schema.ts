// A stream as clients see it, and the fields that requests to create and to update a stream take.
import * as z from 'zod';
import { replicaStates } from '../../data/fleet/replicas.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import { streamBackends } from '../../domain/streams/stream-words.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { usualSound } from '../../domain/playout/sound.ts';
import { isLive, streamStates, streamStatuses } from '../../domain/streams/stream-lifecycle.ts';
import { nextStarts } from '../../orchestration/schedule/schedule.ts';
import type { Context } from '../context.ts';
import { presentLook, streamLook, streamLookInput } from '../look-fields.ts';
import { sound, soundInput } from '../sound-fields.ts';
import { failure, framerate, id, quality, text, timestamp, timestampInput, videoCodec } from '../fields.ts';
import { outputSchema, presentOutput } from '../outputs/output-schema.ts';
import { effectiveFormat, formatsOf } from './stream-format.ts';
import { presentTransition, transition } from './stream-transition.ts';
import { mirrorsOf, presentMirror, streamMirror, watchURLsOf } from './stream-mirror.ts';

/** The fields that requests to create and to update a stream take. */
export const streamFields = {
  name: text(0, 255).nullish().describe('For people.'),
  agentModeEnabled: z.boolean().nullish().describe('Replicas are spread over zones.'),
  runBackupStream: z
    .boolean()
    .nullish()
    .describe("In agent mode: a second replica publishes to the destination's backup address."),
  playlistIDs: z
    .array(id)
    .max(2)
    .optional()
    .describe('What the stream plays: at most one playlist of kind video and one of kind audio.'),
  preparedPlaylistIDs: z
    .array(id)
    .max(100)
    .optional()
    .describe(
      "Playlists kept prepared for this stream's quality, framerate and codec, drafts included, so that a start " +
        'need not wait: for streamBackend manifest, as far as the limit preparedSeconds (get_me) lets them.',
    ),
  videoUploadObjectID: id
    .nullish()
    .describe('Upload to loop where no video playlist is given; an image is held still.'),
  audioUploadObjectID: id.nullish().describe("Upload whose sound replaces the video's own."),
  destinationID: id.nullish().describe('Where to stream to: its first output.'),
  quality: quality.nullish().describe("null: the user's default, taken at start."),
  framerate: framerate.nullish().describe("null: the user's default, taken at start."),
  videoCodec: videoCodec
    .nullish()
    .describe(
      'null or h264: what every destination takes. hevc and av1 take about 60 % of the bytes, and need ' +
        'streamBackend manifest and a destination that takes Enhanced RTMP, as YouTube does.',
    ),
  streamBackend: z
    .enum(streamBackends)
    .nullish()
    .describe(
      'ffmpeg encodes while it sends: on air a second after the start, whatever is played. manifest sends what was ' +
        'prepared once: it needs about a hundredth of the machines and never falls behind, but a first start waits. ' +
        'Take manifest for what loops for long. null: ffmpeg, or at creation what this service takes by default.',
    ),
  sound: soundInput
    .nullish()
    .describe(
      'Each item is brought to targetLUFS, −14 by default, unless enabled is false. Items of an audio playlist are ' +
        'joined by a cut, a fade through silence or a crossfade, of half the shortest item at most. ' +
        'An item may have its own sound.',
    ),
  look: streamLookInput
    .nullish()
    .describe('16:9 with black bars by default. Another aspect is another size: 9:16 at q_1080p is 1080 × 1920.'),
  streamDestination: z.enum(['managed']).nullish().describe('The managed video-platform connection.'),
  managedSettingsID: id.nullish().describe('Settings of the managed connection.'),
  streamDuration: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .nullish()
    .describe("Seconds; 0 means that the stream never expires. null on create: the user's default."),
  streamKey: text(1, 512)
    .nullish()
    .meta({ deprecated: true, writeOnly: true })
    .describe('Deprecated: use destinationID.'),
  streamStateID: id
    .nullish()
    .describe('On update: refuses with version_conflict if the stream has moved on from this transition.'),
  scheduleStartAt: timestampInput.nullish().describe('ISO 8601 with zone; in the future.'),
  scheduleEndAt: timestampInput.nullish().describe('After scheduleStartAt.'),
};

/** An example of a request, for the OpenAPI document. */
export const exampleStream = {
  name: 'Evening loop',
  videoUploadObjectID: 'upl_0mb3kq5zj4h8s2n7t1w9x6c0p',
  destinationID: 'dst_0mb3kq5zj4h8s2n7t1w9x6c0p',
  quality: 'q_1080p',
  framerate: 'f_30',
};

/** INTERVAL and COUNT are counted from scheduleStartAt, which is the first start. */
export const recurrence = z
  .strictObject({
    rule: text(1, 512).describe('An RFC 5545 recurrence rule, such as FREQ=WEEKLY;BYDAY=MO,FR. COUNT at most 1000.'),
    timeZone: text(1, 64).describe(
      'An IANA time zone, such as Europe/Berlin: local times stay the same when its clocks change.',
    ),
  })
  .meta({ id: 'Recurrence' });

export const replica = z
  .object({
    role: z.enum(['primary', 'backup']),
    state: z.enum(replicaStates),
    since: timestamp,
    reason: failure.nullable().describe('Why it is so; while live: what is about to end that.'),
  })
  .meta({ id: 'Replica' });

/** What a replica waits for, nobody knows; its row has the reason of what was before. */
export function presentReplica({ role, state, since, reason }: Replica): z.input<typeof replica> {
  return { role, state, since, reason: state === 'live' || state === 'failing' ? reason : null };
}

export const streamSchema = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    status: z.enum(streamStatuses).describe('What the user wishes.'),
    state: z.enum(streamStates).describe('What is observed: active only while one of its outputs takes media.'),
    stateReason: failure
      .nullable()
      .describe('Why the state is so. While active: what is about to end that, such as falling_behind.'),
    streamStateID: z.string().nullable().describe('Identifier of the last transition.'),
    processingState: z.enum(['idle', 'processing', 'failed']),
    preparedShare: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe(
        'How much is prepared, 0 to 1: while the state is preparing, of what the stream plays; ' +
          'else of its preparedPlaylistIDs, if it has any.',
      ),
    playlistIDs: z.array(z.string()),
    preparedPlaylistIDs: z.array(z.string()),
    videoUploadObjectID: z.string().nullable(),
    audioUploadObjectID: z.string().nullable(),
    destinationID: z.string().nullable(),
    outputs: z.array(outputSchema).describe('The first one first.'),
    streamDestination: z.enum(['managed']).nullable(),
    managedSettingsID: z.string().nullable(),
    mirror: streamMirror
      .nullable()
      .describe("How far the managed platform's side is what is wished; null: the stream is not managed."),
    watchURL: z.string().nullable().describe('Where viewers find its managed broadcast; each has another.'),
    posterURL: z.url().nullable().describe('While active: a JPEG of seconds ago, which needs no credential.'),
    quality: quality.nullable(),
    framerate: framerate.nullable(),
    videoCodec: videoCodec.nullable(),
    effective: effectiveFormat,
    creditsPerHour: z.number().describe('While live, with all its outputs and backups.'),
    streamBackend: z.enum(streamBackends).nullable(),
    sound,
    look: streamLook,
    pendingLook: z.int32().nullable().describe('While live: items that do not look as wished yet.'),
    pendingJoins: z
      .int32()
      .nullable()
      .describe(
        'While live: joins, titles of songs and mixed sound of the next ten minutes, not made yet; null: none.',
      ),
    pendingSound: z.int32().nullable().describe('While live: items that are not as loud as wished yet.'),
    streamDuration: z.int32().nullable(),
    agentModeEnabled: z.boolean().nullable(),
    runBackupStream: z.boolean().nullable(),
    scheduleStartAt: timestamp.nullable(),
    scheduleEndAt: timestamp.nullable(),
    recurrence: z.object({ rule: z.string(), timeZone: z.string() }).nullable(),
    nextOccurrences: z.array(timestamp).describe('The next starts by the schedule that is armed, at most 5.'),
    replicas: z.array(replica).describe('Of the first output.'),
    transitions: z.array(transition).describe('The last 20, newest first.'),
    startedAt: timestamp
      .nullable()
      .describe('First media of this run, or the last one, that the destination accepted.'),
    stoppedAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Stream' });

const shownTransitions = 20;

/**
 * Presents streams. One statement each reads the replicas, the outputs, the transitions and the prepared shares of all
 * streams, where the caller wants these fields.
 */
export async function presentStreams(
  ctx: Context,
  streams: readonly Stream[],
): Promise<z.input<typeof streamSchema>[]> {
  const ids = streams.map((stream) => stream.id);
  const areOutputsWanted = ctx.isWanted('Stream.outputs');
  const areReplicasWanted = areOutputsWanted || ctx.isWanted('Stream.replicas');
  const replicas = Map.groupBy(
    areReplicasWanted ? await ctx.data.replicas.ofStreams(ids) : [],
    ({ stream_id: streamID }) => streamID,
  );
  const outputs = areOutputsWanted ? await ctx.data.outputs.ofStreams(ids) : [];
  const preparing = ctx.isWanted('Stream.preparedShare') ? streams.filter(hasShare).map((stream) => stream.id) : [];
  const prepared =
    preparing.length > 0 ? await ctx.data.preparedShares.ofStreams(preparing) : new Map<string, number>();
  const looking = ctx.isWanted('Stream.pendingLook') ? streams.filter(isFramedAhead).map((stream) => stream.id) : [];
  const pendingLooks =
    looking.length > 0 ? await ctx.data.preparedShares.pendingLooks(looking) : new Map<string, number>();
  const formatOf = await formatsOf(ctx, streams);
  const mirrors = await mirrorsOf(ctx, streams);
  const watchURLs = await watchURLsOf(ctx, streams);
  const history = ctx.isWanted('Stream.transitions')
    ? await ctx.data.streamMoves.lastTransitions(ids, shownTransitions)
    : [];
  return streams.map((stream) => ({
    id: stream.id,
    name: stream.name,
    status: stream.status,
    state: stream.state,
    stateReason: stream.state_reason,
    streamStateID: stream.last_transition_id === null ? null : String(stream.last_transition_id),
    processingState: stream.processing_state,
    preparedShare: prepared.get(stream.id) ?? null,
    playlistIDs: [...stream.playlist_ids],
    preparedPlaylistIDs: [...stream.prepared_playlist_ids],
    videoUploadObjectID: stream.video_upload_id,
    audioUploadObjectID: stream.audio_upload_id,
    destinationID: stream.destination_id,
    outputs: outputs
      .filter((output) => output.stream_id === stream.id)
      .map((output) => presentOutput(output, replicas.get(stream.id) ?? [])),
    streamDestination: stream.stream_destination,
    managedSettingsID: stream.managed_settings_id,
    mirror: stream.stream_destination === 'managed' ? presentMirror(mirrors.get(stream.id)) : null,
    watchURL: watchURLs.get(stream.id) ?? null,
    posterURL: stream.state === 'active' ? ctx.posterURL(stream.id) : null,
    quality: stream.quality,
    framerate: stream.framerate,
    videoCodec: stream.video_codec,
    ...formatOf(stream.id),
    streamBackend: stream.stream_backend,
    sound: { ...usualSound, ...stream.sound },
    pendingJoins: isLive(stream.state) ? stream.pending_joins : null,
    look: presentLook(stream.look),
    pendingLook: isLive(stream.state) ? (pendingLooks.get(stream.id) ?? 0) : null,
    pendingSound: isLive(stream.state) ? stream.pending_sound : null,
    streamDuration: stream.stream_duration_seconds,
    agentModeEnabled: stream.agent_mode_enabled,
    runBackupStream: stream.run_backup_stream,
    scheduleStartAt: stream.schedule_start_at,
    scheduleEndAt: stream.schedule_end_at,
    recurrence: stream.recurrence && { rule: stream.recurrence.rule, timeZone: stream.recurrence.timeZone },
    nextOccurrences: nextStarts(stream, ctx.now),
    replicas: (replicas.get(stream.id) ?? []).filter(isOfFirstOutput).map(presentReplica),
    transitions: history.filter((each) => each.stream_id === stream.id).map(presentTransition),
    startedAt: stream.started_at,
    stoppedAt: stream.stopped_at,
    createdAt: stream.created_at,
    updatedAt: stream.updated_at,
  }));
}

/** Whether a replica, which has not ended, is the first output's. */
export function isOfFirstOutput({ state, output_id: outputID }: Replica): boolean {
  return state !== 'ended' && outputID === null;
}

function isFramedAhead({ state, stream_backend: backend }: Stream): boolean {
  return isLive(state) && backend === 'manifest';
}

function hasShare({ state, stream_backend: backend, prepared_playlist_ids: kept }: Stream): boolean {
  return state === 'preparing' || (backend === 'manifest' && kept.length > 0);
}

export async function presentStream(ctx: Context, stream: Stream): Promise<z.input<typeof streamSchema>> {
  return (await presentStreams(ctx, [stream]))[0]!;
}
