// POST /connections/{id}/reauthorise: creates a new link at which the owner of a channel consents again.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { askConsent, askedConnectionSchema, returnPath } from './connection-schema.ts';

export const reauthoriseConnection = operation(['service:write'], {
  summary: 'Connect a channel again',
  description:
    'Returns a new link, like create_connection, for a connection that is pending, or whose grant has ended or ' +
    'lacks a scope. Earlier links stop working. The owner must choose the same channel.',
  tag: 'connections',
  route: 'POST /connections/{id}/reauthorise',
  body: z
    .strictObject({ returnTo: returnPath.describe('As in create_connection.') })
    .meta({ examples: [{ returnTo: '/account' }] }),
  output: { status: 200, body: askedConnectionSchema, isSecret: true },
  errors: ['connection_needed'],
  hints: { openWorld: true },
  async handle(ctx, { params, body }) {
    const connection = orNotFound(await ctx.data.connections.lock(ctx.caller.userID, params.id), 'connection');
    return askConsent(ctx, connection, body.returnTo);
  },
});
