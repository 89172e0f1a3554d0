// An incident as clients see it.
import * as z from 'zod';
import type { Incident } from '../../data/notices/incidents.ts';
import { showIncident } from '../../orchestration/notices/show-incident.ts';
import { timestamp } from '../fields.ts';
import { incidentKind } from './alert-channel-schema.ts';

export const incidentSchema = z
  .object({
    id: z.string(),
    kind: incidentKind,
    subjectID: z.string().describe('What it is about.'),
    streamID: z.string().nullable(),
    outputID: z.string().nullable().describe('null: of no output.'),
    beganAt: timestamp,
    confirmedAt: timestamp,
    endedAt: timestamp.nullable().describe('null: it goes on.'),
    count: z.int32().describe('How often it was wrong within this incident.'),
    detail: z.string().describe('What happened, and why.'),
    viewers: z.string().describe('What viewers see.'),
    advice: z.string().describe('The one thing to do.'),
  })
  .meta({ id: 'Incident' });

export function presentIncident(incident: Incident): z.input<typeof incidentSchema> {
  return { ...showIncident(incident), confirmedAt: incident.confirmed_at! };
}
