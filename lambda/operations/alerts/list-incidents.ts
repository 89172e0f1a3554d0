// GET /incidents: open and ended incidents, newest first.
import * as z from 'zod';
import { bounds } from '../../domain/shared/bounds.ts';
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { readableKinds } from './alert-channel-schema.ts';
import { incidentSchema, presentIncident } from './incident-schema.ts';

export const listIncidents = operation(['service:read'], {
  summary: 'List incidents',
  description:
    `Returns incidents, newest first. They are kept for ${bounds.keptIncidentDays} days. Incidents about credits ` +
    'need the scope service:billing.',
  tag: 'incidents',
  route: 'GET /incidents',
  query: {
    ...pageQuery,
    open: z.boolean().optional().describe('true: only open incidents. false: only ended incidents. Default: both.'),
  },
  output: { status: 200, body: pageOf(incidentSchema).meta({ id: 'IncidentPage' }) },
  handle(ctx, { query }) {
    const { open = null } = query;
    const kinds = readableKinds(ctx);
    return pageThrough(ctx, `incidents open=${open}`, query, presentIncident, (before, count) =>
      ctx.data.incidents.list(ctx.caller.userID, kinds, open, before, count),
    );
  },
});
