// GET /schedule/occurrences: when the caller's streams are on by their schedules, in order of time.
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
    endAt: timestamp.nullable().describe('null: nothing ends it.'),
    isRecurring: z.boolean(),
    isSkipped: z.boolean(),
  })
  .meta({ id: 'Occurrence' });

export const listOccurrences = operation(['service:read'], {
  id: 'listOccurrences',
  summary: 'List what is scheduled',
  description: 'Computed from the schedules that are armed, with what runs by them now. Next: skip_occurrence.',
  tag: 'schedule',
  method: 'GET',
  path: '/schedule/occurrences',
  query: {
    from: timestampInput.optional().describe('Now by default.'),
    to: timestampInput.optional().describe(`A week later by default; ${mostDays} days at most.`),
    streamID: id.optional().describe('Of this stream alone.'),
  },
  output: {
    status: 200,
    body: z
      .object({
        data: z.array(occurrenceSchema),
        to: timestamp.describe('All that begins before is here. Earlier than asked for: ask again from then.'),
      })
      .meta({ id: 'Occurrences' }),
  },
  errors: [],
  async handle(ctx, { query: { from = ctx.now, to = new Date(from.getTime() + 7 * dayMs), streamID = null } }) {
    if (to <= from) throw fieldProblem('query/to', 'It has to be after from.');
    if (to.getTime() - from.getTime() > mostDays * dayMs)
      throw fieldProblem('query/to', `It may be ${mostDays} days after from at most.`);
    const streams = await ctx.data.streamLists.withSchedule(ctx.caller.userID, streamID);
    const found = await occurrencesOf(streams, { from, to });
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
