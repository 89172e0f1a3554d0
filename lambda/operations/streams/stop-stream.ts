// POST /streams/{id}/stop: stops a live stream.
import * as z from 'zod';
import type { Stream } from '../../data/streams/streams.ts';
import { stopStream as stop } from '../../orchestration/streams/stop-stream.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { presentStream, streamSchema } from './stream-schema.ts';
import type { Locked } from '../../data/shared/locked.ts';

export const stopStream = operation(['service:write'], {
  summary: 'Stop a stream',
  description:
    'Stops a stream. Returns immediately, with state stopping. The media and its cost end within 2 seconds. A ' +
    'stream with a recurrence then waits for its next start, with state scheduled, unless endsRecurrence is true. ' +
    'A stream that has never run or has already stopped is returned unchanged.',
  tag: 'streams',
  route: 'POST /streams/{id}/stop',
  body: z.strictObject({
    endsRecurrence: z.boolean().default(false).describe('true: the recurrence of the stream ends with this run.'),
  }),
  isBodyOptional: true,
  output: { status: 200, body: streamSchema },
  errors: ['stream_not_stoppable'],
  hints: { idempotent: true, destructive: true },
  async handle(ctx, { params, body }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    return presentStream(ctx, await stopOrRefuse(ctx, stream, body.endsRecurrence));
  },
});

/**
 * Stops a stream.
 * @throws {ProblemError} stream_not_stoppable
 */
export async function stopOrRefuse(
  ctx: Context,
  stream: Locked<Stream>,
  endsRecurrence: boolean,
): Promise<Locked<Stream>> {
  switch (stream.state) {
    case 'scheduled':
      throw new ProblemError(
        'stream_not_stoppable',
        'The stream is scheduled, but not running. Cancel its schedule instead.',
      );
    case 'invalid':
    case 'failed':
      throw new ProblemError('stream_not_stoppable', `The stream is ${stream.state} and not running.`);
    default:
      return stop(ctx.data, endsRecurrence ? await endRecurrence(ctx, stream) : stream, 'stop');
  }
}

/** Ends the recurrence of a stream, also of one that was already stopping for another cause. */
async function endRecurrence(ctx: Context, stream: Locked<Stream>): Promise<Locked<Stream>> {
  if (stream.recurrence === null) return stream;
  return ctx.data.streams.setSchedule(stream.id, stream.schedule_start_at, stream.schedule_end_at, null);
}
