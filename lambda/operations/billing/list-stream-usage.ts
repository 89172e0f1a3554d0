// GET /billing/usage/streams: live seconds, credits and bytes of each stream in a range.
import * as z from 'zod';
import { fieldProblem } from '../field-problems.ts';
import { timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { defaultRangeMs, figures, figuresOf } from './usage-figures.ts';

/** The most streams of an answer. */
const mostStreams = 100;
/** The longest range: the intervals of all streams in it are read. */
const longestMs = 400 * 86_400_000;

export const streamUsage = z
  .object({
    streamID: z.string().describe('ID of the stream, which may be deleted.'),
    name: z.string().nullable().describe('Name of the stream. null: it has none, or was deleted.'),
    ...figures,
  })
  .meta({ id: 'StreamUsage' });

export const listStreamUsage = operation(['service:billing'], {
  summary: 'List usage by stream',
  description: `Returns the ${mostStreams} streams that cost most in a range, most expensive first.`,
  tag: 'billing',
  route: 'GET /billing/usage/streams',
  query: {
    from: timestampInput
      .optional()
      .describe('Start of the range, at most 400 days long. Default: 30 days before `to`.'),
    to: timestampInput.optional().describe('End of the range, exclusive. Default: now.'),
  },
  output: { status: 200, body: z.object({ data: z.array(streamUsage) }).meta({ id: 'UsageOfStreams' }) },
  async handle(ctx, { query }) {
    const now = await ctx.data.now();
    const to = query.to ?? now;
    const from = query.from ?? new Date(to.getTime() - defaultRangeMs);
    if (from >= to) throw fieldProblem('query/from', 'from must be before to.');
    if (to.getTime() - from.getTime() > longestMs)
      throw fieldProblem('query/from', 'The range is longer than 400 days. Use a later from.');
    const rows = await ctx.data.usage.ofStreams({ userID: ctx.caller.userID, from, to, now }, mostStreams);
    return { data: rows.map((row) => ({ streamID: row.stream_id, name: row.name, ...figuresOf(row) })) };
  },
});
