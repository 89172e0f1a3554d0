// An incident in answers.
import * as z from 'zod';
import type { Incident } from '../../data/notices/incidents.ts';
import { showIncident } from '../../orchestration/notices/show-incident.ts';
import { timestamp } from '../fields.ts';
import { incidentKind } from './alert-channel-schema.ts';

export const incidentSchema = z
  .object({
    id: z.string(),
    kind: incidentKind,
    subjectID: z
      .string()
      .describe(
        'ID of the affected stream, playlist, programme, upload or source. For an output, the ID of its replica.',
      ),
    streamID: z.string().nullable().describe('ID of the affected stream. null: the incident concerns no stream.'),
    outputID: z.string().nullable().describe('ID of the affected output. null: the incident concerns no output.'),
    beganAt: timestamp,
    confirmedAt: timestamp,
    endedAt: timestamp.nullable().describe('Time when the incident ended. null: it is still open.'),
    count: z.int32().describe('Number of times the fault occurred within this incident.'),
    detail: z.string().describe('Description of the fault and its cause.'),
    viewers: z.string().describe('Effect on viewers.'),
    advice: z.string().describe('Most useful next step.'),
  })
  .meta({ id: 'Incident' });

export function presentIncident(incident: Incident): z.input<typeof incidentSchema> {
  return { ...showIncident(incident), confirmedAt: incident.confirmed_at! };
}
