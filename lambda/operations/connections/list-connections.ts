// GET /connections: the caller's connections to channels, newest first.
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { connectionSchema, presentConnection } from './connection-schema.ts';

export const listConnections = operation(['service:read'], {
  summary: 'List connections',
  description: 'Returns the connected channels, and those that wait for their owner’s consent, newest first.',
  tag: 'connections',
  route: 'GET /connections',
  query: pageQuery,
  output: { status: 200, body: pageOf(connectionSchema).meta({ id: 'ConnectedChannelPage' }) },
  handle: (ctx, { query }) =>
    pageThrough(ctx, 'connections', query, presentConnection, (before, count) =>
      ctx.data.connections.list(ctx.caller.userID, before, count),
    ),
});
