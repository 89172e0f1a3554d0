// POST /streams/{id}/schedule/skip: skips one start of a schedule, or restores it.
import * as z from 'zod';
import { mostSkipped, skipStart } from '../../orchestration/schedule/schedule.ts';
import { orNotFound, timestampInput } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';
import { operation } from '../operation.ts';
import { presentStream, streamSchema } from './stream-schema.ts';

export const skipOccurrence = operation(['service:write'], {
  summary: 'Skip one start of a schedule',
  description: 'Skips one start. The other starts stay. If no other start is left, the schedule ends.',
  tag: 'streams',
  route: 'POST /streams/{id}/schedule/skip',
  body: z.strictObject({
    startAt: timestampInput.describe('Future start time from list_occurrences.'),
    skip: z.boolean().default(true).describe('false: restores a skipped start.'),
  }),
  output: { status: 200, body: streamSchema },
  hints: { idempotent: true },
  async handle(ctx, { params, body }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    const after = await skipStart(ctx.data, stream, { at: body.startAt, skip: body.skip, now: ctx.now });
    if (after === 'no such start')
      throw fieldProblem('startAt', 'The schedule has no such future start. Use a startAt from list_occurrences.');
    if (after === 'too many') throw fieldProblem('startAt', `At most ${mostSkipped} future starts can be skipped.`);
    return presentStream(ctx, after);
  },
});
