// GET /connections/{id}: one connection to a channel.
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import { connectionSchema, presentConnection } from './connection-schema.ts';

export const getConnection = operation(['service:read'], {
  id: 'getConnection',
  summary: 'Get a connection',
  description: 'Next, once its state is ok: name it as connectionID in create_managed_settings.',
  tag: 'connections',
  method: 'GET',
  path: '/connections/{id}',
  params: { id: pathID },
  output: { status: 200, body: connectionSchema },
  errors: ['not_found'],
  handle: async (ctx, { params }) =>
    presentConnection(orNotFound(await ctx.data.connections.find(ctx.caller.userID, params.id), 'connection')),
});
