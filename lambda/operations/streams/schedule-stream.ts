// POST /streams/{id}/schedule: arms a schedule that starts and ends a stream.
import * as z from 'zod';
import { nextState } from '../../domain/streams/stream-lifecycle.ts';
import { armSchedule, beginSeries, faultOfNewRecurrence } from '../../orchestration/schedule/schedule.ts';
import { orNotFound, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { assertNoFaults } from '../field-problems.ts';
import { ProblemError } from '../problem-codes.ts';
import type { FieldFault } from '../field-problems.ts';
import { recurrence } from './recurrence-fields.ts';
import { presentStream, streamSchema } from './stream-schema.ts';

export const scheduleStream = operation(['service:write'], {
  summary: 'Schedule a stream',
  description:
    'Arms a schedule: the stream starts and ends by itself, accurate to the second; with a recurrence, ' +
    'repeatedly. It replaces the schedule that the stream has. Readiness is checked at the start time, so call ' +
    'get_stream_readiness before.',
  tag: 'streams',
  route: 'POST /streams/{id}/schedule',
  body: z.strictObject({
    scheduleStartAt: timestampInput.describe('Start, in the future.'),
    scheduleEndAt: timestampInput
      .nullish()
      .describe('End, after the start. Without an end, the stream runs until it is stopped.'),
    recurrence: recurrence
      .nullish()
      .describe(
        'Rule for repeated starts. Every run is as long as the first one. It continues after stop_stream, unless ' +
          'that ends it.',
      ),
  }),
  output: { status: 200, body: streamSchema },
  errors: ['schedule_in_past', 'stream_not_schedulable'],
  async handle(ctx, { params, body }) {
    const { scheduleStartAt: startAt, scheduleEndAt: endAt = null, recurrence: repeats = null } = body;
    const faults: FieldFault[] = [];
    if (startAt <= ctx.now) faults.push(['scheduleStartAt', 'The time is in the past.', 'schedule_in_past']);
    if (endAt !== null && endAt <= startAt) faults.push(['scheduleEndAt', 'The end must be after the start.']);
    const ruleFault = repeats && (await faultOfNewRecurrence(ctx.data, repeats, startAt));
    if (ruleFault) faults.push([`recurrence/${ruleFault.field}`, ruleFault.detail]);
    assertNoFaults(faults);
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    const isRearmed = stream.state === 'scheduled';
    if (!isRearmed && nextState(stream.state, 'schedule') === null) {
      throw new ProblemError('stream_not_schedulable', `A stream in state ${stream.state} cannot be scheduled.`);
    }
    const times = { startAt, endAt };
    const armed = await armSchedule(ctx.data, stream, times, repeats && beginSeries(repeats, times));
    return presentStream(ctx, isRearmed ? armed : (await ctx.data.streamMoves.move(armed, 'schedule'))!);
  },
});
