// GET /billing/usage: live seconds, credits and bytes over time.
import * as z from 'zod';
import { isTimeZone } from '../../domain/shared/time-zone.ts';
import { fieldProblem } from '../field-problems.ts';
import { id, timestamp, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { defaultRangeMs, figures, figuresOf } from './usage-figures.ts';

const dayMs = 86_400_000;
/** The shortest length of a bucket: an hour may be skipped when clocks change, and a month may have 28 days. */
const bucketMs = { hour: dayMs / 24, day: dayMs - dayMs / 24, month: 28 * dayMs - dayMs / 24 } as const;
/** The most buckets of an answer: the hours of three months, or the days of six years. */
const maxBuckets = 2232;

export const usageSchema = z
  .object({
    from: timestamp,
    to: timestamp,
    granularity: z.enum(['hour', 'day', 'month']),
    data: z.array(
      z.object({ start: timestamp.describe('Start of the hour, day or month in the time zone.'), ...figures }),
    ),
    totals: z.object(figures),
  })
  .meta({ id: 'Usage' });

export const getUsageAnalytics = operation(['service:billing'], {
  summary: 'Get usage analytics',
  description:
    'Returns usage up to now, including running streams. The answer has every hour, day or month of the range, ' +
    'even those without usage.',
  tag: 'billing',
  route: 'GET /billing/usage',
  query: {
    from: timestampInput.optional().describe('Start of the range. Default: 30 days before `to`.'),
    to: timestampInput.optional().describe('End of the range, exclusive. Default: now.'),
    granularity: z.enum(['hour', 'day', 'month']).default('day'),
    timeZone: z
      .string()
      .max(100)
      .refine(isTimeZone, { error: 'Use an IANA time zone name, such as Europe/Berlin.' })
      .default('UTC')
      .describe('IANA time zone in which days and months begin.'),
    streamID: id.optional().describe('Only the usage of this stream. A deleted stream is possible.'),
  },
  output: { status: 200, body: usageSchema },
  async handle(ctx, { query: { granularity, timeZone, streamID, ...range } }) {
    const now = await ctx.data.now();
    const to = range.to ?? now;
    const from = range.from ?? new Date(to.getTime() - defaultRangeMs);
    if (from >= to) throw fieldProblem('query/from', 'from must be before to.');
    if ((to.getTime() - from.getTime()) / bucketMs[granularity] > maxBuckets) {
      throw fieldProblem(
        'query/granularity',
        `The range has more than ${maxBuckets} buckets. Use a shorter range or larger buckets.`,
      );
    }
    const buckets = await ctx.data.usage.buckets({
      userID: ctx.caller.userID,
      streamID: streamID ?? null,
      from,
      to,
      granularity,
      timeZone,
      now,
    });
    const data = buckets.map((bucket) => ({ start: bucket.start, ...figuresOf(bucket) }));
    return {
      from,
      to,
      granularity,
      data,
      totals: {
        liveSeconds: sum(data, 'liveSeconds'),
        creditsSpent: sum(data, 'creditsSpent'),
        bytesSent: sum(data, 'bytesSent'),
      },
    };
  },
});

/** Sums and rounds to four decimals, because sums of binary fractions are inexact. */
function sum<Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return Math.round(rows.reduce((total, row) => total + row[name], 0) * 10_000) / 10_000;
}
