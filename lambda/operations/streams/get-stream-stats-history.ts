// GET /streams/{id}/stats/history: past measurements of a stream, as the columns of a chart.
import * as z from 'zod';
import { coarser, resolutions, seriesStates, tiers } from '../../domain/streams/series.ts';
import type { Point } from '../../domain/streams/series.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { id, orNotFound, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';

const history = z
  .object({
    times: z.array(z.iso.datetime()).describe('Start of each point. Times without measurements have no point.'),
    bitrateKbps: z.array(z.number()),
    framesPerSecond: z.array(z.number()),
    droppedFrames: z.array(z.int()).describe('Number within each point.'),
    reconnects: z.array(z.int32()).describe('Number within each point.'),
    state: z.array(z.enum(seriesStates)).describe('Worst state within each point.'),
  })
  .meta({ id: 'StreamStatsHistory' });

export const getStreamStatsHistory = operation(['service:read'], {
  summary: 'Get past statistics of a stream',
  description:
    "Returns columns of measurements of an output's primary publisher. Resolution 10s goes back one day, 5m 14 " +
    'days, and 1h 400 days. Measurements arrive about two minutes late.',
  tag: 'streams',
  route: 'GET /streams/{id}/stats/history',
  query: {
    from: timestampInput.optional().describe('Start of the range. Default: 360 points before `to`.'),
    to: timestampInput.optional().describe('End of the range. Default: now.'),
    resolution: z.enum(resolutions).default('10s'),
    outputID: id.optional().describe('ID of the output. Default: the first output.'),
  },
  output: { status: 200, body: history },
  async handle(ctx, { params, query }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const tier = tiers[query.resolution];
    const { to = ctx.now } = query;
    const { from = new Date(to.getTime() - defaultPoints * tier.stepSeconds * 1000) } = query;
    const seconds = (to.getTime() - from.getTime()) / 1000;
    if (seconds <= 0 || seconds > tier.keptSeconds)
      throw fieldProblem(
        'query/from',
        `from must be before to, by at most ${tier.keptSeconds} seconds at this resolution.`,
      );
    const outputID = await storedAs(ctx, stream.id, query.outputID);
    const points = await ctx.data.series.read(tier, stream.id, outputID, from, to);
    if (tier === tiers['10s']) return columnsOf(points);
    // Coarser rows do not include the last one or two hours yet.
    const fine = await ctx.data.series.readUnrolled(stream.id, outputID);
    const latest = coarser(fine, tier.stepSeconds).filter(({ at }) => at >= from && at < to);
    return columnsOf(withLatest(points, latest));
  },
});

const defaultPoints = 360;

/** The name of an output's series in the database. The series of a removed output still exist. */
async function storedAs({ data }: Context, streamID: string, outputID: string | undefined): Promise<string> {
  if (outputID === undefined) return '';
  return (await data.outputs.find(streamID, outputID))?.is_first ? '' : outputID;
}

/** Adds the latest points. Stored points take precedence. */
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
