// Says of an incident what happened, what viewers see, and the one thing to do.
import type { IncidentKind } from './incidents.ts';

export interface Reason {
  readonly code: string;
  readonly detail: string;
}

/** What is kept of an incident for its words, as triggers write it. */
export interface IncidentDetail {
  /** Of the stream, playlist, upload or source. */
  readonly name?: string | null;
  readonly reason?: Reason | null;
  /** Of the stream. */
  readonly state?: string;
  /** Of the replica that an output does not take. */
  readonly role?: string;
  /** The name of that output, or of its destination. */
  readonly output?: string | null;
  /** Which warning about credits it is. */
  readonly stage?: string;
}

export interface IncidentWords {
  /** What happened, without an end: “Night radio is off the air”. */
  readonly headline: string;
  /** Why, in a sentence; empty where nobody knows. */
  readonly cause: string;
  readonly viewers: string;
  readonly advice: string;
  /** What is said once it has ended. */
  readonly ended: string;
}

/** What to do about reasons that a stream or its destination gives. Others pass by themselves, or say it. */
const adviceOfReason: Readonly<Record<string, string>> = {
  key_refused: 'Check the stream key of the destination.',
  ended_at_once: 'Check the stream key of the destination, and that its account may stream.',
  already_publishing: 'End the other encoder that streams with this stream key.',
  app_refused: 'Check the path in the URL of the destination.',
  login_required: 'Use an address of the destination that takes a stream key alone.',
  codec_refused: 'Set videoCodec to h264, then start the stream again.',
  name_not_found: 'Check the host in the URL of the destination.',
  address_forbidden: 'Use a public address for the destination.',
  certificate_expired: 'Have the certificate of the destination renewed.',
  tls_failed: 'Check the URL of the destination: no secure connection can be made to it.',
  unreachable: 'Check the URL of the destination, and whether its service is up.',
  unanswered: 'Check whether the service of the destination is up; we go on trying.',
  falling_behind: 'Lower the quality or framerate, or set streamBackend to manifest.',
  slower_than_real_time: 'Lower the quality or framerate, or set streamBackend to manifest.',
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
          ? 'Mend what the reason says, then start the stream again: we have stopped trying.'
          : 'Look at the destination, and wait: we go on trying by ourselves.'),
      ended: `${called('The stream', name)} was off the air`,
    };
  },
  output_refused: ({ name, reason, role, output }) => ({
    headline: `${called('The stream', name)} is not taken at ${placeOf(output, role)}`,
    viewers: 'Viewers there see nothing; the other outputs of the stream go on.',
    advice: adviceOfReason[reason?.code ?? ''] ?? 'Look at that destination; we go on trying by ourselves.',
    ended: `${called('The stream', name)} was not taken at ${placeOf(output, role)}`,
  }),
  publish_failed: ({ name }) => ({
    headline: `${called('The playlist', name)} could not be published`,
    viewers: 'Viewers go on seeing what was live before.',
    advice: 'Remove or replace the item that the reason names, then publish again.',
    ended: `${called('The playlist', name)} could not be published`,
  }),
  media_unplayable: ({ name }) => ({
    headline: `${called('The upload', name)} cannot be played`,
    viewers: 'Viewers do not see it: it is left out of what plays.',
    advice: 'Upload it again in a form that plays, such as MP4 with H.264 and AAC.',
    ended: `${called('The upload', name)} could not be played`,
  }),
  source_unreachable: ({ name }) => ({
    headline: `${called('The source', name)} cannot be looked at`,
    viewers: 'Viewers see no new files of it; what was imported plays on.',
    advice: 'Check the address of the source and what opens it; we go on trying by ourselves.',
    ended: `${called('The source', name)} could not be looked at`,
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

/** What happened, and why, as one text. */
export function incidentSentence({ headline, cause }: IncidentWords): string {
  return cause === '' ? `${headline}.` : `${headline}. ${cause}`;
}

function placeOf(output: string | null | undefined, role: string | undefined): string {
  return called(role === 'backup' ? 'the backup of the output' : 'the output', output);
}

function called(what: string, name: string | null = null): string {
  return name === null || name === '' ? what : `${what} “${name}”`;
}
