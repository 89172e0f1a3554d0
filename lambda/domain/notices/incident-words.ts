// Words of an incident: the event, its effect on viewers, and one remedy.
import type { IncidentKind } from './incidents.ts';

export interface Reason {
  readonly code: string;
  readonly detail: string;
}

/** Facts of an incident for its words, as triggers write them. */
export interface IncidentDetail {
  /** Name of the stream, playlist, upload or source. */
  readonly name?: string | null;
  readonly reason?: Reason | null;
  /** State of the stream. */
  readonly state?: string;
  /** Role of the replica that an output refuses. */
  readonly role?: string;
  /** Name of that output, or of its destination. */
  readonly output?: string | null;
  /** Stage of the warning about credits. */
  readonly stage?: string;
}

export interface IncidentWords {
  /** The event as a clause: “Night radio is off the air”. */
  readonly headline: string;
  /** The reason, in a sentence; empty if unknown. */
  readonly cause: string;
  readonly viewers: string;
  readonly advice: string;
  /** Text after the incident has ended. */
  readonly ended: string;
}

/** Remedies for reasons of a stream or its destination. Other reasons pass by themselves, or include a remedy. */
const adviceOfReason: Readonly<Record<string, string>> = {
  key_refused: 'Check the stream key of the destination.',
  ended_at_once: 'Check the stream key of the destination, and that its account may stream.',
  already_publishing: 'End the other encoder that streams with this stream key.',
  app_refused: 'Check the path in the URL of the destination.',
  login_required: 'Use an address of the destination that needs only a stream key.',
  codec_refused: 'Set the video codec (videoCodec) to h264, then start the stream again.',
  name_not_found: 'Check the host in the URL of the destination.',
  address_forbidden: 'Use a public address for the destination.',
  certificate_expired: 'Ask the operator of the destination to renew its certificate.',
  tls_failed: 'Check the URL of the destination: no secure connection can be made to it.',
  unreachable: 'Check the URL of the destination, and whether its service is up.',
  unanswered: 'Check whether the service of the destination is up. We keep retrying.',
  falling_behind: 'Lower the quality or framerate, or let its media be prepared once (streamBackend manifest).',
  no_capacity: 'We start it as soon as a publisher has room for it.',
  slower_than_real_time: 'Lower the quality or framerate, or let its media be prepared once (streamBackend manifest).',
};

const words: Readonly<Record<IncidentKind, (detail: IncidentDetail) => Omit<IncidentWords, 'cause'>>> = {
  stream_away: ({ name, reason, state }) => {
    const isGivenUp = state === 'failed';
    return {
      headline: `${called('The stream', name)} is off the air`,
      viewers: 'Viewers see a still picture, the waiting picture of the platform, or nothing.',
      advice:
        adviceOfReason[reason?.code ?? ''] ??
        (isGivenUp
          ? 'Fix the cause, then start the stream again. We have stopped retrying.'
          : 'Check the destination. We keep retrying.'),
      ended: `${called('The stream', name)} was off the air`,
    };
  },
  output_refused: ({ name, reason, role, output }) => ({
    headline: `${called('The stream', name)} is refused at ${placeOf(output, role)}`,
    viewers: 'Viewers there see nothing. The other outputs of the stream continue.',
    advice: adviceOfReason[reason?.code ?? ''] ?? 'Check that destination. We keep retrying.',
    ended: `${called('The stream', name)} was refused at ${placeOf(output, role)}`,
  }),
  publish_failed: ({ name }) => ({
    headline: `${called('The playlist', name)} could not be published`,
    viewers: 'Viewers still see the previous version.',
    advice: 'Remove or replace the item in the cause, then publish again.',
    ended: `${called('The playlist', name)} could not be published`,
  }),
  programme_not_planned: ({ name }) => ({
    headline: `The programme of ${called('the stream', name)} cannot be planned`,
    viewers: 'Viewers see the items that were planned before, again and again.',
    advice: 'Remove the cause. The programme is planned again within ten minutes.',
    ended: `The programme of ${called('the stream', name)} could not be planned`,
  }),
  media_unplayable: ({ name }) => ({
    headline: `${called('The upload', name)} cannot be played`,
    viewers: 'Viewers do not see it: streams skip it.',
    advice: 'Upload it again in a playable format, such as MP4 with H.264 and AAC.',
    ended: `${called('The upload', name)} could not be played`,
  }),
  source_unreachable: ({ name }) => ({
    headline: `${called('The source', name)} is unreachable`,
    viewers: 'Viewers see no new files from it. Imported files keep playing.',
    advice: 'Check the address and the credentials of the source. We keep retrying.',
    ended: `${called('The source', name)} was unreachable`,
  }),
  credits_low: ({ stage }) => ({
    headline: stageWords[stage ?? ''] ?? 'Your credits end soon',
    viewers:
      stage === 'streams_stopped_without_credits'
        ? 'Viewers see nothing: the streams were stopped.'
        : 'Viewers see no difference yet; the streams stop when the credits are used up.',
    advice: 'Buy credits.',
    ended: 'Your credits were about to end',
  }),
};

const stageWords: Readonly<Record<string, string>> = {
  credits_end_within_day: 'Your credits end within a day',
  credits_end_within_hour: 'Your credits end within an hour',
  credits_exhausted: 'Your credits are used up',
  streams_stopped_without_credits: 'Your credits are used up, and your streams were stopped',
};

export function describeIncident(kind: IncidentKind, detail: IncidentDetail): IncidentWords {
  return { ...words[kind](detail), cause: detail.reason?.detail ?? '' };
}

/** Headline and cause as one text. */
export function incidentSentence({ headline, cause }: IncidentWords): string {
  return cause === '' ? `${headline}.` : `${headline}. ${cause}`;
}

function placeOf(output: string | null | undefined, role: string | undefined): string {
  return called(role === 'backup' ? 'the backup of the output' : 'the output', output);
}

function called(what: string, name: string | null = null): string {
  return name === null || name === '' ? what : `${what} “${name}”`;
}
