// GET /streams/{id}/stats: the figures of a live stream, or of its last run.
import * as z from 'zod';
import type { Stream } from '../../data/streams/streams.ts';
import { isLive, streamStates } from '../../domain/streams/stream-lifecycle.ts';
import { secondsOf } from '../../domain/playout/aired.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import type { Context } from '../context.ts';
import { orNotFound, pathID, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentFigures } from './stream-figures.ts';
import { isOfFirstOutput, presentReplica, replica } from './stream-schema.ts';

const stats = z
  .object({
    state: z.enum(streamStates),
    startedAt: timestamp.nullable(),
    uptimeSeconds: z
      .number()
      .describe('Since the first media of the run was accepted; of the last run once it has ended.'),
    bitrateKbps: z.number().describe('Sent, over the last seconds.'),
    framesPerSecond: z
      .number()
      .describe('Sent, over the last seconds. Below that of the stream, the stream is late or frames are left out.'),
    secondsInHand: z
      .number()
      .nullable()
      .describe(
        'The least media of late that was encoded and not due yet. Below 0.6 for 2 s the publisher falls behind, and ' +
          'stateReason of the stream says so. Negative: it is so late. Null: not encoded while live.',
      ),
    framesSent: z.int(),
    bytesSent: z.int(),
    droppedFrames: z
      .int()
      .describe('Frames that were due and are never sent: left out for a slow destination, or due while off the air.'),
    lateFrames: z
      .int()
      .describe('Frames that are due and not sent yet. They are sent late, or counted as dropped when they are not.'),
    reconnects: z.int32(),
    loopCount: z.int32().describe('Laps of the playlist completed.'),
    currentItem: z
      .object({
        playlistID: z.string().nullable(),
        itemID: z.string(),
        uploadID: z.string(),
        positionSeconds: z.number(),
      })
      .meta({ id: 'CurrentItem' })
      .nullable(),
    run: z
      .object({
        airedSeconds: z.number(),
        offAirSeconds: z.number().describe('Up to the last that was acknowledged.'),
        interruptions: z.int32(),
        bytesAcknowledged: z.int(),
      })
      .meta({ id: 'RunSummary' })
      .nullable()
      .describe('What was acknowledged of the run, of all its publishers; the other figures are of the present one.'),
    replicas: z.array(replica),
    sampledAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'StreamStats' });

export const getStreamStats = operation(['service:read'], {
  id: 'getStreamStats',
  summary: 'Get live statistics of a stream',
  description:
    'Whether its first output really sends: bitrate, frames, reconnects, the item on air. ' +
    'Once it is no longer live, the last figures of the run; of a stream that never was, zeros.',
  tag: 'streams',
  method: 'GET',
  path: '/streams/{id}/stats',
  params: { id: pathID },
  output: { status: 200, body: stats },
  errors: ['not_found'],
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const replicas = await ctx.data.replicas.ofStream(stream.id);
    const figures = await ctx.data.figures.ofStream(stream.id);
    return {
      ...presentFigures(figures),
      currentItem: figures?.currentItem ?? null,
      state: stream.state,
      startedAt: stream.started_at,
      uptimeSeconds: uptimeSeconds(stream, ctx.now),
      run: await summaryOfRun(ctx, stream),
      replicas: replicas.filter(isOfFirstOutput).map(presentReplica),
    };
  },
});

async function summaryOfRun({ data }: Context, stream: Stream): Promise<z.input<typeof stats>['run']> {
  const { id, anchored_at: anchoredAt, run_framerate: framerate } = stream;
  if (anchoredAt === null || framerate === null) return null;
  const sum = await data.runs.airedSum(id, anchoredAt);
  if (sum === null) return null;
  const rate = framesPerSecond[framerate];
  return {
    airedSeconds: secondsOf(sum.airedFrames, rate),
    offAirSeconds: secondsOf(sum.wholeFrames - sum.airedFrames, rate),
    interruptions: sum.interruptions,
    bytesAcknowledged: sum.bytes,
  };
}

/** How long the stream has been live, or was live in its last run. */
function uptimeSeconds({ state, started_at: startedAt, stopped_at: stoppedAt }: Stream, now: Date): number {
  if (startedAt === null) return 0;
  const until = isLive(state) ? now : (stoppedAt ?? now);
  return Math.max(0, (until.getTime() - startedAt.getTime()) / 1000);
}
