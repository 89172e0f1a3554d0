// The events that webhooks are told of: when each happens, and what it carries.
// Triggers in the database write the events (data/migrations/0003_notices.sql).
import * as z from 'zod';
import { graceMs } from '../domain/billing/credits.ts';
import { findingKinds } from '../domain/media/findings.ts';
import { incidentKinds } from '../domain/notices/incidents.ts';
import { platformNames } from '../domain/channels/managed-platforms.ts';
import { streamStates, transitions } from '../domain/streams/stream-lifecycle.ts';
import type { TransitionCause } from '../domain/streams/stream-lifecycle.ts';
import { failure } from './fields.ts';
import type { Scope } from './scopes.ts';
import { inspectionFields } from './uploads/upload-inspection.ts';

export interface WebhookEvent {
  readonly type: string;
  /** What somebody needs who may hear of it: what reading the same takes. */
  readonly scope: Scope;
  readonly summary: string;
  readonly description: string;
  readonly data: z.ZodObject;
}

const streamID = z.string();
const role = z.enum(['primary', 'backup']);
/** Payloads hold times in the form in which the database stores them. */
const time = z.iso.datetime();
const creditsLeft = z.number().describe('At the time of the event.');
const creditsExhaustedAt = time.describe('When the credits are used up, with what was live at the time of the event.');
const invoiceID = z.string();
const creditsTakenBack = z.number();
const incident = z.object({
  incidentID: z.string(),
  kind: z.enum(incidentKinds),
  subjectID: z.string().describe('The stream, playlist, upload or source; of an output its replica.'),
  streamID: z.string().nullable(),
  outputID: z.string().nullable(),
  beganAt: time,
  endedAt: time.nullable(),
  count: z.int().describe('How often it was wrong.'),
  detail: z.string(),
  advice: z.string(),
});

export const webhookEvents = [
  {
    type: 'stream.state_changed',
    scope: 'service:read',
    summary: 'A stream is in another state',
    description:
      'Every transition of a stream, with what caused it. A stream that is deleted while it is live still tells ' +
      'that it has stopped.',
    data: z.object({
      streamID,
      streamStateID: z.string().describe('Of the transition, as in the stream.'),
      from: z.enum(streamStates).meta({ examples: ['active'] }),
      to: z.enum(streamStates).meta({ examples: ['failing'] }),
      cause: z
        .enum(Object.keys(transitions) as [TransitionCause, ...TransitionCause[]])
        .meta({ examples: ['media_interrupted'] }),
      reason: failure.nullable().describe('In words, where the cause does not say enough.'),
    }),
  },
  {
    type: 'stream.warned',
    scope: 'service:read',
    summary: 'A stream is about to go off the air',
    description: 'It is active still. What its stateReason warns of takes seconds, and may pass by itself.',
    data: z.object({ streamID, reason: failure }),
  },
  {
    type: 'stream.output_changed',
    scope: 'service:read',
    summary: 'An output of a stream is in another state',
    description:
      'A publisher of this output is live, is not any more, fails or has ended. The state of the stream follows from ' +
      'all its outputs.',
    data: z.object({
      streamID,
      outputID: z.string(),
      role,
      state: z.enum(['waiting', 'connecting', 'live', 'failing', 'ended']),
      reason: failure.nullable(),
    }),
  },
  {
    type: 'item.started',
    scope: 'service:read',
    summary: 'An item of a stream has begun',
    description: 'At its time, to about a second. state says whether it is on the air.',
    data: z.object({
      streamID,
      playlistID: z.string().nullable(),
      itemID: z.string(),
      uploadID: z.string(),
      name: z.string().nullable().describe('Of the upload.'),
      title: z.string().nullable().describe('What viewers are told.'),
      artist: z.string().nullable(),
      album: z.string().nullable(),
      startAt: time,
      endAt: time,
      state: z.enum(['active', 'failing']),
    }),
  },
  {
    type: 'replica.connected',
    scope: 'service:read',
    summary: 'A publisher is connected',
    description: "The first output's destination takes media from this publisher of the stream.",
    data: z.object({ streamID, role }),
  },
  {
    type: 'replica.lost',
    scope: 'service:read',
    summary: 'A publisher is lost',
    description:
      "The first output's destination takes no more media from this publisher. It is brought back by itself; " +
      'with a backup the stream stays active meanwhile.',
    data: z.object({
      streamID,
      role,
      reason: failure.nullable().describe('null: the publisher stopped working, and another takes over.'),
    }),
  },
  {
    type: 'upload.completed',
    scope: 'service:read',
    summary: 'An upload can be played',
    description: 'Its content has been examined: its probeState is completed.',
    data: z.object({
      uploadID: z.string(),
      name: z.string(),
      type: z.enum(['video', 'audio', 'image']),
      durationSeconds: z.number().nullable(),
    }),
  },
  {
    type: 'upload.failed',
    scope: 'service:read',
    summary: 'An upload cannot be played',
    description: 'It could not be imported, or its content cannot be used: its probeState is failed.',
    data: z.object({ uploadID: z.string(), name: z.string(), failure }),
  },
  {
    type: 'upload.examined',
    scope: 'service:read',
    summary: 'An upload has been looked through',
    description:
      'It may have played before. Its findings and pictures are in get_upload. ' +
      'Of many with the same content, the last 100.',
    data: z.object({
      uploadID: z.string(),
      name: z.string(),
      examinedShare: z.number().describe('Less than 1 where looking through it was given up.'),
      findingKinds: z.array(z.enum(findingKinds)),
      loudness: inspectionFields.loudness,
    }),
  },
  {
    type: 'source.failing',
    scope: 'service:read',
    summary: 'A watched source cannot be looked at',
    description: 'At once where it refuses us, and after an hour where that may pass. Told once until it recovers.',
    data: z.object({ sourceID: z.string(), url: z.string(), reason: failure }),
  },
  {
    type: 'source.recovered',
    scope: 'service:read',
    summary: 'A watched source can be looked at again',
    description: 'What has changed there meanwhile has been found.',
    data: z.object({ sourceID: z.string(), url: z.string() }),
  },
  {
    type: 'playlist.published',
    scope: 'service:read',
    summary: 'A playlist was published',
    description:
      'Its draft is the live snapshot now. A running stream takes it over at the end of an item, at least 10 ' +
      'seconds later.',
    data: z.object({ playlistID: z.string(), streamID, version: z.int() }),
  },
  {
    type: 'playlist.publish_failed',
    scope: 'service:read',
    summary: 'A playlist could not be published',
    description: 'What was live stays so.',
    data: z.object({ playlistID: z.string(), streamID, failure }),
  },
  {
    type: 'connection.lost',
    scope: 'service:read',
    summary: 'A channel cannot be used any more',
    description:
      'The consent of its owner has ended. Unless the channel is connected again, what is known of it is deleted ' +
      'after six days.',
    data: z.object({ connectionID: z.string(), platform: z.enum(platformNames), title: z.string().nullable() }),
  },
  {
    type: 'stream.platform_disagrees',
    scope: 'service:read',
    summary: 'A platform has trouble with a stream that is on air',
    description:
      'The platform takes the media, and says for a minute that it gets none or that their health is bad. The state ' +
      'of the stream does not follow from it.',
    data: z.object({
      streamID,
      broadcastID: z.string(),
      platform: z.enum(platformNames),
      ingest: z.enum(['active', 'inactive', 'unknown']),
      health: z.enum(['good', 'ok', 'bad', 'no_data', 'unknown']),
      issues: z.array(
        z.object({ type: z.string(), severity: z.enum(['info', 'warning', 'error']), detail: z.string() }),
      ),
    }),
  },
  {
    type: 'incident.began',
    scope: 'service:read',
    summary: 'Something is confirmed to be wrong',
    description:
      'Once for each incident, however often it comes and goes. Incidents of credits have events of their own.',
    data: incident,
  },
  {
    type: 'incident.ended',
    scope: 'service:read',
    summary: 'An incident is over',
    description: 'It has been well for long enough, or what it was about was stopped or deleted.',
    data: incident,
  },
  {
    type: 'credits.low',
    scope: 'service:billing',
    summary: 'Credits end soon',
    description: 'With what is live now they are used up within a day, or within an hour.',
    data: z.object({ within: z.enum(['day', 'hour']), creditsLeft, creditsExhaustedAt }),
  },
  {
    type: 'credits.exhausted',
    scope: 'service:billing',
    summary: 'Credits are used up',
    description: `The streams go on for ${graceMs / 60_000} minutes, for a top-up under way.`,
    data: z.object({ creditsLeft, creditsExhaustedAt }),
  },
  {
    type: 'credits.streams_stopped',
    scope: 'service:billing',
    summary: 'Streams were stopped without credits',
    description: 'Each of them tells of its state as well.',
    data: z.object({ streamIDs: z.array(z.string()) }),
  },
  {
    type: 'payment.refunded',
    scope: 'service:billing',
    summary: 'A payment was refunded',
    description: 'Its credits were taken back.',
    data: z.object({ invoiceID, creditsTakenBack }),
  },
  {
    type: 'payment.disputed',
    scope: 'service:billing',
    summary: 'A payment is disputed',
    description: 'Its credits were taken back, until the dispute is decided.',
    data: z.object({ invoiceID, creditsTakenBack }),
  },
] as const satisfies readonly WebhookEvent[];

export type WebhookEventType = (typeof webhookEvents)[number]['type'];

export const webhookEventTypes = webhookEvents.map(({ type }) => type) as [WebhookEventType, ...WebhookEventType[]];
