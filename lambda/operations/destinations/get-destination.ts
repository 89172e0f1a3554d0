// GET /destinations/{id}: one destination, archived or not.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { destinationSchema, presentDestination } from './destination-schema.ts';

export const getDestination = operation(['service:read'], {
  summary: 'Get a destination',
  description: 'Returns a destination, archived or not. Its secrets are never returned.',
  tag: 'destinations',
  route: 'GET /destinations/{id}',
  output: { status: 200, body: destinationSchema },
  handle: async (ctx, { params }) =>
    presentDestination(orNotFound(await ctx.data.destinations.find(ctx.caller.userID, params.id), 'destination')),
});
