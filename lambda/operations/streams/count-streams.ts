// GET /streams/count: the number of the caller's streams, in total and by state.
import * as z from 'zod';
import { streamStates } from '../../domain/streams/stream-lifecycle.ts';
import { operation } from '../operation.ts';

export const streamCounts = z
  .object({
    count: z.int32(),
    needAttention: z.int32().describe('Number of streams that list_streams returns with needsAttention.'),
    states: z
      .array(z.object({ state: z.enum(streamStates), count: z.int32() }))
      .describe('Number of streams by state. States without streams are left out.'),
  })
  .meta({ id: 'StreamCounts' });

export const countStreams = operation(['service:read'], {
  summary: 'Count streams',
  description: 'Returns the number of streams, in total and by state.',
  tag: 'streams',
  route: 'GET /streams/count',
  readsMuch: true,
  output: { status: 200, body: streamCounts },
  async handle(ctx) {
    const states = await ctx.data.streamLists.counts(ctx.caller.userID);
    return {
      count: states.reduce((sum, { count }) => sum + count, 0),
      needAttention: states.reduce((sum, { needing }) => sum + needing, 0),
      states: states.map(({ state, count }) => ({ state, count })),
    };
  },
});
