// POST /connections: creates a link at which the owner of a channel consents to connect it.
import * as z from 'zod';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { askConsent, askedConnectionSchema, platformName, returnPath } from './connection-schema.ts';

export const createConnection = operation(['service:write'], {
  summary: 'Connect a channel',
  description:
    'Returns a link. The channel is connected once a person who owns it opens the link and consents. Next: give ' +
    'the link to that person, then poll get_connection until state is no longer pending.',
  tag: 'connections',
  route: 'POST /connections',
  body: z.strictObject({ platform: platformName, returnTo: returnPath }).meta({ examples: [{ platform: 'youtube' }] }),
  output: {
    status: 201,
    body: askedConnectionSchema,
    location: (connection) => `/connections/${connection.id}`,
    isSecret: true,
  },
  errors: ['connection_needed', 'limit_reached'],
  hints: { openWorld: true },
  async handle(ctx, { body }) {
    const { userID } = ctx.caller;
    await ctx.data.connections.deleteAbandoned(userID);
    await assertRoom(ctx, { connections: 1 });
    const id = ctx.newID('con');
    const connection = await ctx.data.connections.insert({ id, userID, platform: body.platform });
    return askConsent(ctx, connection, body.returnTo);
  },
});
