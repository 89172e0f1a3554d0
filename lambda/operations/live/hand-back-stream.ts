// POST /streams/{id}/hand-back: ends the takeover of a stream, which returns to its timeline.
import * as z from 'zod';
import { handBack } from '../../orchestration/live/takeovers.ts';
import { orNotFound, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

export const handBackStream = operation(['service:write'], {
  summary: 'Hand a stream back to its timeline',
  description: 'Ends the takeover: viewers see the timeline again, at least 10 seconds from now.',
  tag: 'streams',
  route: 'POST /streams/{id}/hand-back',
  output: { status: 202, body: z.object({ returnsAt: timestamp }).meta({ id: 'HandedBack' }) },
  errors: ['not_taken_over'],
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.lock(ctx.caller.userID, params.id), 'stream');
    const returnsAt = await handBack(ctx.data, stream, await ctx.data.now());
    if (returnsAt === null) throw new ProblemError('not_taken_over', 'The stream shows its timeline already.');
    return { returnsAt };
  },
});
