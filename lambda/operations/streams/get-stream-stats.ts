// GET /streams/{id}/stats: the measurements of a live stream, or of its last run.
import * as z from 'zod';
import type { Stream } from '../../data/streams/streams.ts';
import { isLive, streamStates } from '../../domain/streams/stream-lifecycle.ts';
import { secondsOf } from '../../domain/playout/aired.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import type { Context } from '../context.ts';
import { orNotFound, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentFigures } from './stream-figures.ts';
import { isOfFirstOutput, presentReplica, replica } from './stream-replica.ts';

const stats = z
  .object({
    state: z.enum(streamStates),
    startedAt: timestamp
      .nullable()
      .describe('Time when the destination accepted the first media of the run. null: never.'),
    uptimeSeconds: z
      .number()
      .describe('Seconds since the destination accepted the first media of the run. After the run: its length.'),
    bitrateKbps: z.number().describe('Bitrate sent over the last seconds, in kbit/s.'),
    framesPerSecond: z
      .number()
      .describe(
        'Frames sent per second, over the last seconds. If it is below the framerate of the stream, frames are ' +
          'late or dropped.',
      ),
    secondsInHand: z
      .number()
      .nullable()
      .describe(
        'Lowest recent amount of encoded media that was not due yet, in seconds. Below 0.6 for 2 seconds, the ' +
          'publisher is falling behind, and stateReason of the stream reports it. Negative: the stream is late by ' +
          'this time. null: not encoded while live.',
      ),
    framesSent: z.int(),
    bytesSent: z.int(),
    droppedFrames: z
      .int()
      .describe(
        'Frames that were due but never sent: dropped for a slow destination, or due while the stream was off the ' +
          'air.',
      ),
    lateFrames: z.int().describe('Frames that are due but not sent yet. They are sent late or become droppedFrames.'),
    reconnects: z.int32(),
    loopCount: z.int32().describe('Number of completed laps of the playlist.'),
    currentItem: z
      .object({
        playlistID: z.string().nullable().describe('null: the upload is not from a playlist.'),
        itemID: z.string(),
        uploadID: z.string(),
        positionSeconds: z.number(),
      })
      .meta({ id: 'CurrentItem' })
      .nullable()
      .describe('Current item, or the last one of the run. null: the stream was never live.'),
    run: z
      .object({
        airedSeconds: z.number(),
        offAirSeconds: z.number().describe('Seconds off the air, up to the last acknowledged frame.'),
        interruptions: z.int32(),
        bytesAcknowledged: z.int(),
      })
      .meta({ id: 'RunSummary' })
      .nullable()
      .describe(
        'Acknowledged media of the run, of all its publishers. The other measurements are of the current ' +
          'publisher only.',
      ),
    replicas: z.array(replica),
    sampledAt: z.iso.datetime().nullable().describe('Time of the measurement. null: the stream was never live.'),
  })
  .meta({ id: 'StreamStats' });

export const getStreamStats = operation(['service:read'], {
  summary: 'Get live statistics of a stream',
  description:
    'Shows whether the first output really sends: bitrate, frames, reconnects, and the current item. For a ' +
    'stream that is no longer live: the last measurements of its run. For a stream that was never live: zeros.',
  tag: 'streams',
  route: 'GET /streams/{id}/stats',
  output: { status: 200, body: stats },
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

/** The seconds that the stream has been live, or was live in its last run. */
function uptimeSeconds({ state, started_at: startedAt, stopped_at: stoppedAt }: Stream, now: Date): number {
  if (startedAt === null) return 0;
  const until = isLive(state) ? now : (stoppedAt ?? now);
  return Math.max(0, (until.getTime() - startedAt.getTime()) / 1000);
}
