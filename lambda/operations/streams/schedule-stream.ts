// POST /streams/{id}/schedule: go live, and end, at given times.
import * as z from 'zod';
import { nextState } from '../../domain/stream-lifecycle.ts';
import { orNotFound, pathID, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { fieldProblem, ProblemError } from '../problem-codes.ts';
import { presentStream, streamSchema } from './stream-schema.ts';

export const scheduleStream = operation(['service:write'], {
  id: 'scheduleStream',
  summary: 'Schedule a stream',
  description: 'The stream starts and ends by itself, to the second. Readiness is checked when the start time comes; look at get_stream_readiness before.',
  tag: 'streams',
  method: 'POST',
  path: '/streams/{id}/schedule',
  params: { id: pathID },
  body: z.strictObject({
    scheduleStartAt: timestampInput.describe('In the future.'),
    scheduleEndAt: timestampInput.nullish().describe('After the start; without it the stream runs until it is stopped.'),
  }),
  output: { status: 200, body: streamSchema },
  errors: ['not_found', 'schedule_in_past', 'stream_not_schedulable'],
  async handle(ctx, { params, body }) {
    const { scheduleStartAt: startAt, scheduleEndAt: endAt = null } = body;
    if (startAt <= ctx.now) throw fieldProblem('scheduleStartAt', 'The time has passed already.', 'schedule_in_past');
    if (endAt !== null && endAt <= startAt) throw fieldProblem('scheduleEndAt', 'The end has to be after the start.');
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    if (nextState(stream.state, 'schedule') === null) {
      throw new ProblemError('stream_not_schedulable', `A stream that is ${stream.state} cannot be scheduled.`);
    }
    const scheduled = await ctx.data.streams.setSchedule(stream.id, startAt, endAt, null);
    await ctx.data.dueTimes.set(stream.id, 'schedule_start', startAt);
    await ctx.data.dueTimes.set(stream.id, 'schedule_end', endAt);
    return presentStream(ctx, (await ctx.data.streams.move(scheduled, 'schedule'))!);
  },
});
