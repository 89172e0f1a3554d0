// GET /connections/{id}: one connection to a channel.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { connectionSchema, presentConnection } from './connection-schema.ts';

export const getConnection = operation(['service:read'], {
  summary: 'Get a connection',
  description:
    'Returns the connection and its state. Next, once state is ok: pass its ID as connectionID to ' +
    'create_managed_settings.',
  tag: 'connections',
  route: 'GET /connections/{id}',
  output: { status: 200, body: connectionSchema },
  handle: async (ctx, { params }) =>
    presentConnection(orNotFound(await ctx.data.connections.find(ctx.caller.userID, params.id), 'connection')),
});
