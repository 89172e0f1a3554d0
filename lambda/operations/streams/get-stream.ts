// GET /streams/{id}: returns one stream.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentStream, streamSchema } from './stream-schema.ts';

export const getStream = operation(['service:read'], {
  summary: 'Get a stream',
  description:
    'Returns a stream. Poll it to follow a start or a stop: status is the state that the user wants, state is ' +
    'the observed state, and stateReason explains the difference.',
  tag: 'streams',
  route: 'GET /streams/{id}',
  output: { status: 200, body: streamSchema },
  handle: async (ctx, { params }) =>
    presentStream(ctx, orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream')),
});
