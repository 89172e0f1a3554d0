// An incident with its texts, as the API, webhooks and alert channels show it.
import type { Incident } from '../../data/notices/incidents.ts';
import { describeIncident, incidentSentence } from '../../domain/notices/incident-words.ts';

export function showIncident(incident: Omit<Incident, 'seq'>) {
  const words = describeIncident(incident.kind, incident.detail);
  return {
    id: incident.id,
    kind: incident.kind,
    subjectID: incident.subject_id,
    streamID: incident.stream_id,
    outputID: incident.output_id,
    beganAt: incident.began_at,
    confirmedAt: incident.confirmed_at,
    endedAt: incident.ended_at,
    count: incident.count,
    detail: incidentSentence(incident.ended_at === null ? words : { ...words, headline: words.ended }),
    viewers: words.viewers,
    advice: words.advice,
  };
}
