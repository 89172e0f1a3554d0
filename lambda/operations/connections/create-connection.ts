// POST /connections: begins to connect a channel, whose owner then consents in a browser.
import * as z from 'zod';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { askConsent, askedConnectionSchema, platformName, returnPath } from './connection-schema.ts';

export const createConnection = operation(['service:write'], {
  id: 'createConnection',
  summary: 'Connect a channel',
  description:
    'Answers a link. Nothing is connected until a person who owns the channel has opened it and consented. ' +
    'Next: give the link to the person, then read get_connection until its state is not pending any more.',
  tag: 'connections',
  method: 'POST',
  path: '/connections',
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
