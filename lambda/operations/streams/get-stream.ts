// GET /streams/{id}: answers one stream.
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentStream, streamSchema } from './stream-schema.ts';

export const getStream = operation(['service:read'], {
  id: 'getStream',
  summary: 'Get a stream',
  description:
    'Poll it to observe a start or a stop: status is what the user wishes, state is what is observed, stateReason ' +
    'says why they differ.',
  tag: 'streams',
  method: 'GET',
  path: '/streams/{id}',
  params: { id: pathID },
  output: { status: 200, body: streamSchema },
  errors: ['not_found'],
  handle: async (ctx, { params }) =>
    presentStream(ctx, orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream')),
});
