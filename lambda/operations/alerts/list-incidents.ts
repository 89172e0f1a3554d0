// GET /incidents: what is wrong, and what was, newest first.
import * as z from 'zod';
import { bounds } from '../../domain/shared/limits.ts';
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { readableKinds } from './alert-channel-schema.ts';
import { incidentSchema, presentIncident } from './incident-schema.ts';

export const listIncidents = operation(['service:read'], {
  id: 'listIncidents',
  summary: 'List incidents',
  description: `Newest first, kept for ${bounds.keptIncidentDays} days. Those of credits need service:billing.`,
  tag: 'incidents',
  method: 'GET',
  path: '/incidents',
  query: { ...pageQuery, open: z.boolean().optional().describe('Only those that go on, or that have ended.') },
  output: { status: 200, body: pageOf(incidentSchema).meta({ id: 'IncidentPage' }) },
  errors: ['invalid_cursor'],
  handle(ctx, { query }) {
    const { open = null } = query;
    const kinds = readableKinds(ctx);
    return pageThrough(
      ctx,
      `incidents open=${open}`,
      query,
      (before, count) => ctx.data.incidents.list(ctx.caller.userID, kinds, open, before, count),
      presentIncident,
    );
  },
});
