// A stream in answers.
import * as z from 'zod';
import type { Output } from '../../data/destinations/outputs.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { isLive, streamStates, streamStatuses } from '../../domain/streams/stream-lifecycle.ts';
import { nextStarts } from '../../orchestration/schedule/schedule.ts';
import type { Context } from '../context.ts';
import { failure, timestamp } from '../fields.ts';
import { outputSchema, presentOutput } from '../outputs/output-schema.ts';
import { shownColumns } from '../shown-columns.ts';
import { presentSettings, shownSettings } from './stream-fields.ts';
import { effectiveFormat, formatsOf } from './stream-format.ts';
import { isOfFirstOutput, presentReplica, replica } from './stream-replica.ts';
import { presentTransition, transition } from './stream-transition.ts';
import { mirrorsOf, presentMirror, streamMirror, watchURLsOf } from './stream-mirror.ts';

export const streamSchema = z
  .object({
    id: z.string(),
    ...shownSettings.naming,
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
    ...shownSettings.parts,
    outputs: z.array(outputSchema).describe('Outputs of the stream. The first output comes first.'),
    ...shownSettings.managed,
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
      .describe(
        'While active: URL of a JPEG of the picture a few seconds ago. It needs no credential, and works until the ' +
          'end of the next day.',
      ),
    ...shownSettings.format,
    effective: effectiveFormat,
    creditsPerHour: z.number().describe('Credits per hour while live, including all outputs and backups.'),
    ...shownSettings.rendering,
    pendingLook: z.int32().nullable().describe('While live: number of items that are still shown in their old look.'),
    pendingJoins: z
      .int32()
      .nullable()
      .describe(
        'While live: number of joins, song titles and sound mixes of the next ten minutes that are not prepared ' +
          'yet. null: the stream needs none, or is not live.',
      ),
    pendingSound: z.int32().nullable().describe('While live: number of items that still play at their old loudness.'),
    ...shownSettings.duration,
    ...shownSettings.redundancy,
    ...shownSettings.schedule,
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

/** Rows of the presented streams that the caller has read already. */
interface KnownRows {
  readonly outputs?: readonly Output[];
  readonly replicas?: readonly Replica[];
}

/**
 * Presents streams. One statement each reads the replicas, the outputs, the transitions and the prepared shares of all
 * streams, if the caller selected these fields.
 */
export async function presentStreams(
  ctx: Context,
  streams: readonly Stream[],
  known: KnownRows = {},
): Promise<z.input<typeof streamSchema>[]> {
  const ids = streams.map((stream) => stream.id);
  const areOutputsWanted = ctx.isWanted('Stream.outputs');
  const areReplicasWanted = areOutputsWanted || ctx.isWanted('Stream.replicas');
  const replicas = Map.groupBy(
    areReplicasWanted ? (known.replicas ?? (await ctx.data.replicas.ofStreams(ids))) : [],
    ({ stream_id: streamID }) => streamID,
  );
  const outputs = areOutputsWanted ? (known.outputs ?? (await ctx.data.outputs.ofStreams(ids))) : [];
  const preparing = ctx.isWanted('Stream.preparedShare') ? streams.filter(hasShare).map((stream) => stream.id) : [];
  const prepared =
    preparing.length > 0 ? await ctx.data.preparedShares.ofStreams(preparing) : new Map<string, number>();
  const looking = ctx.isWanted('Stream.pendingLook') ? streams.filter(isFramedAhead).map((stream) => stream.id) : [];
  const pendingLooks =
    looking.length > 0 ? await ctx.data.preparedShares.pendingLooks(looking) : new Map<string, number>();
  const formatOf = await formatsOf(ctx, streams, areOutputsWanted ? outputs : null);
  const mirrors = await mirrorsOf(ctx, streams);
  const watchURLs = await watchURLsOf(ctx, streams);
  const history = ctx.isWanted('Stream.transitions')
    ? await ctx.data.streamMoves.lastTransitions(ids, shownTransitions)
    : [];
  return streams.map((stream) => ({
    ...shownColumns(streamSchema, stream),
    ...presentSettings(stream),
    streamStateID: stream.last_transition_id === null ? null : String(stream.last_transition_id),
    preparedShare: prepared.get(stream.id) ?? null,
    outputs: outputs
      .filter((output) => output.stream_id === stream.id)
      .map((output) => presentOutput(output, replicas.get(stream.id) ?? [])),
    mirror: stream.stream_destination === 'managed' ? presentMirror(mirrors.get(stream.id)) : null,
    watchURL: watchURLs.get(stream.id) ?? null,
    posterURL: stream.state === 'active' ? ctx.posterURL(stream.id) : null,
    ...formatOf(stream.id),
    pendingJoins: isLive(stream.state) ? stream.pending_joins : null,
    pendingLook: isLive(stream.state) ? (pendingLooks.get(stream.id) ?? 0) : null,
    pendingSound: isLive(stream.state) ? stream.pending_sound : null,
    recurrence: stream.recurrence && { rule: stream.recurrence.rule, timeZone: stream.recurrence.timeZone },
    nextOccurrences: nextStarts(stream, ctx.now),
    replicas: (replicas.get(stream.id) ?? []).filter(isOfFirstOutput).map(presentReplica),
    transitions: history.filter((each) => each.stream_id === stream.id).map(presentTransition),
  }));
}

function isFramedAhead({ state, stream_backend: backend }: Stream): boolean {
  return isLive(state) && backend === 'manifest';
}

function hasShare({ state, stream_backend: backend, prepared_playlist_ids: kept }: Stream): boolean {
  return state === 'preparing' || (backend === 'manifest' && kept.length > 0);
}

export async function presentStream(
  ctx: Context,
  stream: Stream,
  known: KnownRows = {},
): Promise<z.input<typeof streamSchema>> {
  return (await presentStreams(ctx, [stream], known))[0]!;
}
