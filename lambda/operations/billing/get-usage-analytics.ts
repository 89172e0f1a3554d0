// GET /billing/usage: live seconds, credits and bytes over time.
import * as z from 'zod';
import { isTimeZone } from '../../domain/shared/time-zone.ts';
import { id, timestamp, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const dayMs = 86_400_000;
const defaultRangeMs = 30 * dayMs;
/** How short an hour, day or month can be: clocks may skip an hour in it, and a month may have 28 days. */
const bucketMs = { hour: dayMs / 24, day: dayMs - dayMs / 24, month: 28 * dayMs - dayMs / 24 } as const;
/** Enough for the hours of three months, or for the days of six years. */
const maxBuckets = 2232;

const figures = {
  liveSeconds: z.number().describe('Seconds in which the destination accepted media, of all streams together.'),
  creditsSpent: z.number().describe('By all replicas, running ones included.'),
  bytesSent: z
    .int()
    .describe('By all replicas. The bytes of a stretch without interruption are spread evenly over it.'),
};

const usageSchema = z
  .object({
    from: timestamp,
    to: timestamp,
    granularity: z.enum(['hour', 'day', 'month']),
    data: z.array(z.object({ start: timestamp.describe('Of the hour, day or month in the time zone.'), ...figures })),
    totals: z.object(figures),
  })
  .meta({ id: 'Usage' });

export const getUsageAnalytics = operation(['service:billing'], {
  id: 'getUsageAnalytics',
  summary: 'Get usage analytics',
  description:
    'To this instant: what running streams have used is included. ' +
    'Every hour, day or month of the range is there, also those without use.',
  tag: 'billing',
  method: 'GET',
  path: '/billing/usage',
  query: {
    from: timestampInput.optional().describe('Default: 30 days before `to`.'),
    to: timestampInput.optional().describe('Exclusive. Default: now.'),
    granularity: z.enum(['hour', 'day', 'month']).default('day'),
    timeZone: z
      .string()
      .max(100)
      .refine(isTimeZone, { error: 'Use the IANA name of a time zone, such as Europe/Berlin.' })
      .default('UTC')
      .describe('IANA name; decides where days and months begin.'),
    streamID: id.optional().describe('Only this stream, which may be deleted by now.'),
  },
  output: { status: 200, body: usageSchema },
  errors: [],
  async handle(ctx, { query: { granularity, timeZone, streamID, ...range } }) {
    const now = await ctx.data.now();
    const to = range.to ?? now;
    const from = range.from ?? new Date(to.getTime() - defaultRangeMs);
    if (from >= to) throw refuse('from', 'from has to be before to.');
    if ((to.getTime() - from.getTime()) / bucketMs[granularity] > maxBuckets) {
      throw refuse(
        'granularity',
        `The range has more than ${maxBuckets} buckets. Ask for a shorter range or larger buckets.`,
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
    const data = buckets.map((bucket) => ({
      start: bucket.start,
      liveSeconds: bucket.live_seconds,
      creditsSpent: bucket.credits_spent,
      bytesSent: bucket.bytes_sent,
    }));
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

/** Rounded to four decimals, since adding binary fractions leaves errors behind them. */
function sum<Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return Math.round(rows.reduce((total, row) => total + row[name], 0) * 10_000) / 10_000;
}

function refuse(parameter: string, detail: string): ProblemError {
  return new ProblemError('validation_failed', detail, {
    errors: [{ path: `/query/${parameter}`, code: 'validation_failed', detail }],
  });
}
