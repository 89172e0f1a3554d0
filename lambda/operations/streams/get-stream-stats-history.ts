// GET /streams/{id}/stats/history: what a stream sent, as the columns of a chart.
import * as z from 'zod';
import { coarser, resolutions, seriesStates, tiers } from '../../domain/streams/series.ts';
import type { Point } from '../../domain/streams/series.ts';
import type { Context } from '../context.ts';
import { id, orNotFound, pathID, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const history = z
  .object({
    times: z.array(z.iso.datetime()).describe('When each point begins. None where nothing was measured.'),
    bitrateKbps: z.array(z.number()),
    framesPerSecond: z.array(z.number()),
    droppedFrames: z.array(z.int()).describe('Within the point.'),
    reconnects: z.array(z.int32()).describe('Within the point.'),
    state: z.array(z.enum(seriesStates)).describe('The worst of the point.'),
  })
  .meta({ id: 'StreamStatsHistory' });

export const getStreamStatsHistory = operation(['service:read'], {
  id: 'getStreamStatsHistory',
  summary: 'Get past statistics of a stream',
  description:
    "Columns, of an output's primary publisher. 10s goes back a day, 5m 14 days, 1h 400 days; two minutes late.",
  tag: 'streams',
  method: 'GET',
  path: '/streams/{id}/stats/history',
  params: { id: pathID },
  query: {
    from: timestampInput.optional().describe('Left out: 360 points before `to`.'),
    to: timestampInput.optional().describe('Left out: now.'),
    resolution: z.enum(resolutions).default('10s'),
    outputID: id.optional().describe('Left out: the first output.'),
  },
  output: { status: 200, body: history },
  errors: ['not_found'],
  async handle(ctx, { params, query }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const tier = tiers[query.resolution];
    const { to = ctx.now } = query;
    const { from = new Date(to.getTime() - defaultPoints * tier.stepSeconds * 1000) } = query;
    const seconds = (to.getTime() - from.getTime()) / 1000;
    if (seconds <= 0 || seconds > tier.keptSeconds) {
      const detail = `from has to be before to, by ${tier.keptSeconds} seconds at most at this resolution.`;
      throw new ProblemError('validation_failed', detail, {
        errors: [{ path: '/query/from', code: 'validation_failed', detail }],
      });
    }
    const outputID = await storedAs(ctx, stream.id, query.outputID);
    const points = await ctx.data.series.read(tier, stream.id, outputID, from, to);
    if (tier === tiers['10s']) return columnsOf(points);
    // The last hour or two are not in coarser rows yet.
    const fine = await ctx.data.series.readUnrolled(stream.id, outputID);
    const latest = coarser(fine, tier.stepSeconds).filter(({ at }) => at >= from && at < to);
    return columnsOf(withLatest(points, latest));
  },
});

const defaultPoints = 360;

/** By which name the series of an output are stored. Those of one that was removed are there still. */
async function storedAs({ data }: Context, streamID: string, outputID: string | undefined): Promise<string> {
  if (outputID === undefined) return '';
  return (await data.outputs.find(streamID, outputID))?.is_first ? '' : outputID;
}

/** Of an hour that is stored, the stored points hold. */
function withLatest(points: readonly Point[], latest: readonly Point[]): Point[] {
  const stored = new Set(points.map(({ at }) => at.getTime()));
  return [...points, ...latest.filter(({ at }) => !stored.has(at.getTime()))].toSorted(
    (one, other) => one.at.getTime() - other.at.getTime(),
  );
}

function columnsOf(points: readonly Point[]): z.input<typeof history> {
  return {
    times: points.map(({ at }) => at.toISOString()),
    bitrateKbps: points.map(({ bitrateKbps }) => bitrateKbps),
    framesPerSecond: points.map(({ framesPerSecond }) => framesPerSecond),
    droppedFrames: points.map(({ droppedFrames }) => droppedFrames),
    reconnects: points.map(({ reconnects }) => reconnects),
    state: points.map(({ state }) => state),
  };
}
