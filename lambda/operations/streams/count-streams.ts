// GET /streams/count: how many streams the caller has, and in which states.
import * as z from 'zod';
import { streamStates } from '../../domain/streams/stream-lifecycle.ts';
import { operation } from '../operation.ts';

const counts = z
  .object({
    count: z.int32(),
    needAttention: z.int32().describe('As with needsAttention of list_streams.'),
    states: z.array(z.object({ state: z.enum(streamStates), count: z.int32() })).describe('Those with any.'),
  })
  .meta({ id: 'StreamCounts' });

export const countStreams = operation(['service:read'], {
  id: 'countStreams',
  summary: 'Count streams',
  description: 'In all, and in each state.',
  tag: 'streams',
  method: 'GET',
  path: '/streams/count',
  output: { status: 200, body: counts },
  errors: [],
  async handle(ctx) {
    const states = await ctx.data.streamLists.counts(ctx.caller.userID);
    return {
      count: states.reduce((sum, { count }) => sum + count, 0),
      needAttention: states.reduce((sum, { needing }) => sum + needing, 0),
      states: states.map(({ state, count }) => ({ state, count })),
    };
  },
});
