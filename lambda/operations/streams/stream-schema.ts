// A stream in answers, and the fields of requests that create or update a stream.
import * as z from 'zod';
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
import { isOfFirstOutput, presentReplica, replica } from './stream-replica.ts';
import { presentTransition, transition } from './stream-transition.ts';
import { mirrorsOf, presentMirror, streamMirror, watchURLsOf } from './stream-mirror.ts';

/** The fields of requests that create or update a stream. */
export const streamFields = {
  name: text(0, 255).nullish().describe('Name for people.'),
  agentModeEnabled: z
    .boolean()
    .nullish()
    .describe('true: the replicas of the stream run in different availability zones.'),
  runBackupStream: z
    .boolean()
    .nullish()
    .describe("true, in agent mode: a second replica publishes to the destination's backup address."),
  playlistIDs: z
    .array(id)
    .max(2)
    .optional()
    .describe('Playlists that the stream plays: at most one of kind video and one of kind audio.'),
  preparedPlaylistIDs: z
    .array(id)
    .max(100)
    .optional()
    .describe(
      "Playlists that are kept prepared in this stream's quality, framerate and codec, including their drafts, " +
        'so that a start does not have to wait. For streamBackend manifest, within the limit preparedSeconds (see ' +
        'get_me).',
    ),
  videoUploadObjectID: id
    .nullish()
    .describe('Upload that the stream loops if it has no video playlist. An image is shown as a still picture.'),
  audioUploadObjectID: id.nullish().describe('Upload whose sound replaces the sound of the video.'),
  destinationID: id.nullish().describe("Destination of the stream's first output."),
  quality: quality.nullish().describe("null: the user's default at the time of the start."),
  framerate: framerate.nullish().describe("null: the user's default at the time of the start."),
  videoCodec: videoCodec
    .nullish()
    .describe(
      'null: h264, which every destination accepts. hevc and av1 need about 60 % of the bytes of h264. They ' +
        'need streamBackend manifest and a destination that accepts Enhanced RTMP, such as YouTube.',
    ),
  streamBackend: z
    .enum(streamBackends)
    .nullish()
    .describe(
      'ffmpeg: encodes while it sends. The stream is on the air about one second after the start, with any ' +
        'content. manifest: sends media that was prepared once. It needs about a hundredth of the computing power ' +
        'and never falls behind, but a first start waits for the preparation. Choose manifest for streams that ' +
        'loop for a long time. null: ffmpeg; when a stream is created, the default of this service.',
    ),
  sound: soundInput
    .nullish()
    .describe(
      'Sound of the stream. loudness: each item is normalized to targetLUFS (default: −14), unless enabled is ' +
        'false. join: the items of an audio playlist are joined by a cut, a fade through silence or a crossfade, ' +
        'which lasts at most half of the shortest item. Items of playlists can override loudness, join and under.',
    ),
  look: streamLookInput
    .nullish()
    .describe(
      'Look of the stream. Default: aspect 16:9, with black bars. The aspect changes the picture size: 9:16 at ' +
        'q_1080p is 1080 × 1920 pixels.',
    ),
  streamDestination: z
    .enum(['managed'])
    .nullish()
    .describe(
      'managed: streams to a connected channel, with the settings of managedSettingsID. null: streams to ' +
        'destinationID.',
    ),
  managedSettingsID: id.nullish().describe('Managed settings for streamDestination managed.'),
  streamDuration: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .nullish()
    .describe(
      "Longest time that the stream stays live, in seconds. 0: no limit. null at creation: the user's default.",
    ),
  streamKey: text(1, 512)
    .nullish()
    .meta({ deprecated: true, writeOnly: true })
    .describe('Deprecated: use destinationID.'),
  streamStateID: id
    .nullish()
    .describe(
      'For updates: ID of the last transition that the client has seen. If the stream has a newer one, the update ' +
        'is refused with version_conflict.',
    ),
  scheduleStartAt: timestampInput
    .nullish()
    .describe('Start of the schedule: ISO 8601 with a time zone, in the future.'),
  scheduleEndAt: timestampInput.nullish().describe('End of the schedule, after scheduleStartAt.'),
};

export const streamSchema = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    status: z.enum(streamStatuses).describe('State that the user wants: ACTIVE or INACTIVE.'),
    state: z.enum(streamStates).describe('Observed state. active: at least one output accepts media.'),
    stateReason: failure
      .nullable()
      .describe(
        'Reason of the state. While active: a warning about a problem that may end it, such as falling_behind.',
      ),
    streamStateID: z
      .string()
      .nullable()
      .describe('ID of the last transition. null: the stream has not changed its state yet.'),
    processingState: z.enum(['idle', 'processing', 'failed']),
    preparedShare: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe(
        'Share of the media that is prepared, 0 to 1. In state preparing: of the items that the stream plays. ' +
          'Otherwise: of the playlists in preparedPlaylistIDs; null if there are none.',
      ),
    playlistIDs: z.array(z.string()),
    preparedPlaylistIDs: z.array(z.string()),
    videoUploadObjectID: z.string().nullable(),
    audioUploadObjectID: z.string().nullable(),
    destinationID: z.string().nullable(),
    outputs: z.array(outputSchema).describe('Outputs of the stream. The first output comes first.'),
    streamDestination: z.enum(['managed']).nullable(),
    managedSettingsID: z.string().nullable(),
    mirror: streamMirror
      .nullable()
      .describe("Progress of applying the stream's settings to the managed platform. null: the stream is not managed."),
    watchURL: z
      .string()
      .nullable()
      .describe('Page where viewers watch the current managed broadcast. Each broadcast has its own page.'),
    posterURL: z
      .url()
      .nullable()
      .describe('While active: URL of a JPEG of the picture a few seconds ago. It needs no credential.'),
    quality: quality.nullable(),
    framerate: framerate.nullable(),
    videoCodec: videoCodec.nullable(),
    effective: effectiveFormat,
    creditsPerHour: z.number().describe('Credits per hour while live, including all outputs and backups.'),
    streamBackend: z.enum(streamBackends).nullable(),
    sound,
    look: streamLook,
    pendingLook: z.int32().nullable().describe('While live: number of items that are still shown in their old look.'),
    pendingJoins: z
      .int32()
      .nullable()
      .describe(
        'While live: number of joins, song titles and sound mixes of the next ten minutes that are not prepared ' +
          'yet. null: the stream needs none, or is not live.',
      ),
    pendingSound: z.int32().nullable().describe('While live: number of items that still play at their old loudness.'),
    streamDuration: z.int32().nullable(),
    agentModeEnabled: z.boolean().nullable(),
    runBackupStream: z.boolean().nullable(),
    scheduleStartAt: timestamp.nullable(),
    scheduleEndAt: timestamp.nullable(),
    recurrence: z.object({ rule: z.string(), timeZone: z.string() }).nullable(),
    nextOccurrences: z.array(timestamp).describe('Next starts of the armed schedule, at most 5.'),
    replicas: z.array(replica).describe('Replicas of the first output.'),
    transitions: z.array(transition).describe('Last 20 transitions, newest first.'),
    startedAt: timestamp
      .nullable()
      .describe(
        'Time when the destination accepted the first media of this run; after the run, of the last run. null: ' +
          'never.',
      ),
    stoppedAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Stream' });

const shownTransitions = 20;

/**
 * Presents streams. One statement each reads the replicas, the outputs, the transitions and the prepared shares of all
 * streams, if the caller selected these fields.
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

function isFramedAhead({ state, stream_backend: backend }: Stream): boolean {
  return isLive(state) && backend === 'manifest';
}

function hasShare({ state, stream_backend: backend, prepared_playlist_ids: kept }: Stream): boolean {
  return state === 'preparing' || (backend === 'manifest' && kept.length > 0);
}

export async function presentStream(ctx: Context, stream: Stream): Promise<z.input<typeof streamSchema>> {
  return (await presentStreams(ctx, [stream]))[0]!;
}
