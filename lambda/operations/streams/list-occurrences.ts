// GET /schedule/occurrences: the scheduled runs of the caller's streams, by time.
import * as z from 'zod';
import { occurrencesOf } from '../../orchestration/schedule/occurrences.ts';
import { id, timestamp, timestampInput } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';
import { operation } from '../operation.ts';

const mostDays = 92;
const dayMs = 24 * 3_600_000;

export const occurrenceSchema = z
  .object({
    streamID: z.string(),
    streamName: z.string().nullable(),
    startAt: timestamp,
    endAt: timestamp.nullable().describe('End of the run. null: it runs until it is stopped.'),
    isRecurring: z.boolean(),
    isSkipped: z.boolean(),
  })
  .meta({ id: 'Occurrence' });

export const listOccurrences = operation(['service:read'], {
  summary: 'List scheduled runs',
  description: 'Returns the runs of all armed schedules, including current runs. Next: skip_occurrence.',
  tag: 'schedule',
  route: 'GET /schedule/occurrences',
  query: {
    from: timestampInput.optional().describe('Start of the range. Default: now.'),
    to: timestampInput
      .optional()
      .describe(`End of the range. Default: one week after from. At most ${mostDays} days after from.`),
    streamID: id.optional().describe('Only runs of this stream.'),
  },
  output: {
    status: 200,
    body: z
      .object({
        data: z.array(occurrenceSchema),
        to: timestamp.describe(
          'End of the returned range: data has every run that starts before it. If it is earlier than requested, ' +
            'continue with from set to it.',
        ),
      })
      .meta({ id: 'Occurrences' }),
  },
  async handle(ctx, { query: { from = ctx.now, to = new Date(from.getTime() + 7 * dayMs), streamID = null } }) {
    if (to <= from) throw fieldProblem('query/to', 'to must be after from.');
    if (to.getTime() - from.getTime() > mostDays * dayMs)
      throw fieldProblem('query/to', `to may be at most ${mostDays} days after from.`);
    const streams = await ctx.data.streamLists.withSchedule(ctx.caller.userID, streamID);
    const found = await occurrencesOf(ctx.data, streams, { from, to });
    return {
      data: found.occurrences.map(({ stream, startAt, endAt, isSkipped }) => ({
        streamID: stream.id,
        streamName: stream.name,
        startAt,
        endAt,
        isRecurring: stream.recurrence !== null,
        isSkipped,
      })),
      to: found.to,
    };
  },
});
