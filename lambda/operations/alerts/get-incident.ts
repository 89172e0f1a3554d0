// GET /incidents/{id}: returns one incident.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { readableKinds } from './alert-channel-schema.ts';
import { incidentSchema, presentIncident } from './incident-schema.ts';

export const getIncident = operation(['service:read'], {
  summary: 'Get an incident',
  description: 'Returns the fault, its effect on viewers, and the remedy.',
  tag: 'incidents',
  route: 'GET /incidents/{id}',
  output: { status: 200, body: incidentSchema },
  handle: async (ctx, { params }) =>
    presentIncident(
      orNotFound(await ctx.data.incidents.find(ctx.caller.userID, params.id, readableKinds(ctx)), 'incident'),
    ),
});
