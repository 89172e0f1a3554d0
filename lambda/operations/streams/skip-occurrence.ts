// POST /streams/{id}/schedule/skip: leaves out one start of a schedule, or takes that back.
import * as z from 'zod';
import { mostSkipped, skipStart } from '../../orchestration/schedule/schedule.ts';
import { orNotFound, pathID, timestampInput } from '../fields.ts';
import { fieldProblem } from '../field-problems.ts';
import { operation } from '../operation.ts';
import { presentStream, streamSchema } from './stream-schema.ts';

export const skipOccurrence = operation(['service:write'], {
  id: 'skipOccurrence',
  summary: 'Skip one start of a schedule',
  description: 'The others stay. Without any other the schedule is over.',
  tag: 'streams',
  method: 'POST',
  path: '/streams/{id}/schedule/skip',
  params: { id: pathID },
  body: z.strictObject({
    startAt: timestampInput.describe('Of list_occurrences, to come.'),
    skip: z.boolean().default(true).describe('false: takes it back.'),
  }),
  output: { status: 200, body: streamSchema },
  errors: ['not_found'],
  hints: { idempotent: true },
  async handle(ctx, { params, body }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    const after = await skipStart(ctx.data, stream, { at: body.startAt, skip: body.skip, now: ctx.now });
    if (after === 'no such start')
      throw fieldProblem('startAt', 'The schedule has no such start to come. Take one of list_occurrences.');
    if (after === 'too many') throw fieldProblem('startAt', `At most ${mostSkipped} starts to come can be skipped.`);
    return presentStream(ctx, after);
  },
});
