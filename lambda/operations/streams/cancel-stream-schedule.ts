// DELETE /streams/{id}/schedule: cancels the armed schedule of a stream.
import { cancelSchedule } from '../../orchestration/schedule/schedule.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { presentStream, streamSchema } from './stream-schema.ts';

export const cancelStreamSchedule = operation(['service:write'], {
  summary: "Cancel a stream's schedule",
  description: 'Cancels the schedule. The stream becomes a draft again, and its times and its recurrence are cleared.',
  tag: 'streams',
  route: 'DELETE /streams/{id}/schedule',
  output: { status: 200, body: streamSchema },
  errors: ['stream_not_scheduled'],
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    if (stream.state !== 'scheduled')
      throw new ProblemError('stream_not_scheduled', 'The stream has no armed schedule.');
    return presentStream(ctx, await cancelSchedule(ctx.data, stream));
  },
});
