// GET /streams/{id}/takeover: the present takeover of a stream.
import * as z from 'zod';
import { presentTakeoverOf } from '../../orchestration/live/present-takeover.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { streamTakeover } from './stream-takeover.ts';

export const getStreamTakeover = operation(['service:read'], {
  summary: 'Get the takeover of a stream',
  description: 'Returns the present takeover until its stream has returned to the timeline.',
  tag: 'streams',
  route: 'GET /streams/{id}/takeover',
  output: {
    status: 200,
    body: z
      .object({ takeover: streamTakeover.nullable().describe('null: the stream shows its timeline.') })
      .meta({ id: 'PresentTakeover' }),
  },
  async handle(ctx, { params }) {
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    return { takeover: await presentTakeoverOf(ctx.data, stream, ctx.now) };
  },
});
