// GET /destinations: the caller's destinations, newest first.
import * as z from 'zod';
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { destinationSchema, presentDestination } from './destination-schema.ts';

export const listDestinations = operation(['service:read'], {
  summary: 'List destinations',
  description: 'Returns destinations, newest first. A destination is an address to stream to, with its secrets.',
  tag: 'destinations',
  route: 'GET /destinations',
  query: {
    ...pageQuery,
    archived: z.boolean().default(false).describe('true: only archived destinations. false: only the others.'),
  },
  output: { status: 200, body: pageOf(destinationSchema).meta({ id: 'DestinationPage' }) },
  handle: (ctx, { query }) =>
    pageThrough(ctx, `destinations archived=${query.archived}`, query, presentDestination, (before, count) =>
      ctx.data.destinations.list(ctx.caller.userID, query.archived, before, count),
    ),
});
