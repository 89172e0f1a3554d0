// The events that webhooks can subscribe to: the occasion of each, and its payload.
// Triggers in the database write the events (data/migrations/0003_notices.sql).
// Decision D23.
import * as z from 'zod';
import { graceMs } from '../domain/billing/credits.ts';
import { findingKinds } from '../domain/media/findings.ts';
import { sessionEnds } from '../domain/live/session-end.ts';
import { signalLossReasons } from '../domain/live/signal-loss.ts';
import { incidentKinds } from '../domain/notices/incidents.ts';
import { rowKinds } from '../domain/playout/planned-facts.ts';
import { platformNames } from '../domain/channels/managed-platforms.ts';
import { streamStates, transitions } from '../domain/streams/stream-lifecycle.ts';
import type { TransitionCause } from '../domain/streams/stream-lifecycle.ts';
import { failure } from './fields.ts';
import { notifiedStreamSchema } from './notifications/notified-stream.ts';
import type { Scope } from './scopes.ts';
import { inspectionFields } from './uploads/upload-inspection.ts';

export interface WebhookEvent {
  readonly type: string;
  /** The scope that a subscriber needs: the scope for reading the same data by the API. */
  readonly scope: Scope;
  readonly summary: string;
  readonly description: string;
  readonly data: z.ZodObject;
}

const streamID = z.string();
const liveSessionID = z.string().describe('ID of a connection of the contributor.');
const role = z.enum(['primary', 'backup']);
/** A time in a payload, in the form in which the database stores it. */
const time = z.iso.datetime();
const creditsLeft = z.number().describe('Credits left at the time of the event.');
const creditsExhaustedAt = time.describe(
  'Time at which the credits are used up if the streams that were live at the time of the event keep running.',
);
const invoiceID = z.string();
const creditsTakenBack = z.number();
const incident = z.object({
  incidentID: z.string(),
  kind: z.enum(incidentKinds),
  subjectID: z
    .string()
    .describe(
      'ID of the affected stream, playlist, upload or source. For an incident of an output, the ID of its replica.',
    ),
  streamID: z.string().nullable().describe('null: the incident concerns no stream.'),
  outputID: z.string().nullable().describe('null: the incident concerns no output.'),
  beganAt: time,
  endedAt: time.nullable().describe('null: the incident is still open.'),
  count: z.int().describe('Number of times the fault occurred within this incident.'),
  detail: z.string(),
  advice: z.string(),
});

export const webhookEvents = [
  {
    type: 'stream.state_changed',
    scope: 'service:read',
    summary: 'A stream changed its state',
    description:
      'Sent for every transition of a stream, with its cause. A stream that is deleted while it is live still ' +
      'sends its transition to stopped.',
    data: z.object({
      streamID,
      streamStateID: z.string().describe('ID of the transition, as in the field of the stream.'),
      from: z.enum(streamStates).meta({ examples: ['active'] }),
      to: z.enum(streamStates).meta({ examples: ['failing'] }),
      cause: z
        .enum(Object.keys(transitions) as [TransitionCause, ...TransitionCause[]])
        .meta({ examples: ['media_interrupted'] }),
      reason: failure.nullable().describe('Details of the cause. null: the cause says enough.'),
    }),
  },
  {
    type: 'stream.warned',
    scope: 'service:read',
    summary: 'A stream may go off the air soon',
    description: 'The stream is still active. The warning in `stateReason` usually clears within seconds.',
    data: z.object({ streamID, reason: failure }),
  },
  {
    type: 'stream.output_changed',
    scope: 'service:read',
    summary: 'An output of a stream changed its state',
    description:
      'A publisher of this output went live, stopped being live, failed or ended. The state of the stream ' +
      'follows from all its outputs.',
    data: z.object({
      streamID,
      outputID: z.string(),
      role,
      state: z.enum(['waiting', 'connecting', 'live', 'failing', 'ended']),
      reason: failure.nullable().describe('Reason of the state. null: none.'),
    }),
  },
  {
    type: 'item.started',
    scope: 'service:read',
    summary: 'An item of a stream started',
    description:
      'Sent when the item is due, accurate to about one second. `state` tells whether the stream is on the air.',
    data: z.object({
      streamID,
      playlistID: z.string().nullable(),
      kind: z.enum(rowKinds).nullable().describe('As in the timeline. null: no programme has planned it.'),
      itemID: z.string(),
      uploadID: z.string(),
      name: z.string().nullable().describe('Name of the upload. null: the upload was deleted.'),
      title: z.string().nullable().describe('Title shown to viewers. null: none.'),
      artist: z.string().nullable(),
      album: z.string().nullable(),
      startAt: time,
      endAt: time,
      state: z.enum(['active', 'failing']),
    }),
  },
  {
    type: 'live_input.changed',
    scope: 'service:read',
    summary: 'A live input can take its stream over, or no longer can',
    description: 'Sent when a contributor is stable, and when it has ended, or is silent or black for too long.',
    data: z.object({
      liveInputID: z.string(),
      streamID,
      liveSessionID,
      state: z.enum(['ready', 'idle']),
      endReason: z
        .enum([...sessionEnds, ...signalLossReasons])
        .nullable()
        .describe('null: it can take over. silent, black: the contributor stays connected.'),
    }),
  },
  {
    type: 'takeover.began',
    scope: 'service:read',
    summary: 'A contributor takes a stream over',
    description: 'Sent some seconds before viewers see it, also when a new connection continues the takeover.',
    data: z.object({ streamID, takeoverID: z.string(), liveInputID: z.string(), liveSessionID, shownAt: time }),
  },
  {
    type: 'takeover.ended',
    scope: 'service:read',
    summary: 'A takeover of a stream ended',
    description: 'The stream returns to its own programme, or has returned.',
    data: z.object({
      streamID,
      takeoverID: z.string(),
      liveInputID: z.string().nullable().describe('null: the live input was deleted.'),
      reason: z.enum(['handed_back', 'time_over', 'contribution_ended', 'stream_stopped']),
      returnsAt: time,
    }),
  },
  {
    type: 'replica.connected',
    scope: 'service:read',
    summary: 'A publisher connected',
    description: "The destination of the stream's first output accepts media from this publisher.",
    data: z.object({ streamID, role }),
  },
  {
    type: 'replica.lost',
    scope: 'service:read',
    summary: 'A publisher was lost',
    description:
      "The destination of the stream's first output no longer receives media from this publisher. The platform " +
      'reconnects by itself. With a backup publisher, the stream stays active meanwhile.',
    data: z.object({
      streamID,
      role,
      reason: failure
        .nullable()
        .describe('Reason of the loss. null: the publisher stopped working, and another one takes over.'),
    }),
  },
  {
    type: 'upload.completed',
    scope: 'service:read',
    summary: 'An upload can be played',
    description: 'The content of the upload was examined, and its probeState is completed.',
    data: z.object({
      uploadID: z.string(),
      name: z.string(),
      type: z.enum(['video', 'audio', 'image']),
      durationSeconds: z.number().nullable().describe('null: an image.'),
    }),
  },
  {
    type: 'upload.failed',
    scope: 'service:read',
    summary: 'An upload cannot be played',
    description: 'The import failed, or the content is unusable. The probeState of the upload is failed.',
    data: z.object({ uploadID: z.string(), name: z.string(), failure }),
  },
  {
    type: 'upload.examined',
    scope: 'service:read',
    summary: 'An upload was inspected',
    description:
      'The inspection of loudness and findings is finished; streams can play an upload before that. get_upload ' +
      'returns its findings and pictures. If many uploads have the same content, the last 100 of them send this ' +
      'event.',
    data: z.object({
      uploadID: z.string(),
      name: z.string(),
      examinedShare: z
        .number()
        .describe('Share of the content that was inspected, 0 to 1. Less than 1 if the inspection was given up.'),
      findingKinds: z.array(z.enum(findingKinds)),
      loudness: inspectionFields.loudness,
    }),
  },
  {
    type: 'source.failing',
    scope: 'service:read',
    summary: 'A watched source is unreachable',
    description:
      'Sent immediately if the source refuses access, and after an hour for faults that may be temporary. Sent ' +
      'once per outage.',
    data: z.object({ sourceID: z.string(), url: z.string(), reason: failure }),
  },
  {
    type: 'source.recovered',
    scope: 'service:read',
    summary: 'A watched source is reachable again',
    description: 'The platform has scanned the source again and found its changes.',
    data: z.object({ sourceID: z.string(), url: z.string() }),
  },
  {
    type: 'playlist.published',
    scope: 'service:read',
    summary: 'A playlist was published',
    description:
      'The draft is now the live version of the playlist. A running stream switches to it at the end of an ' +
      'item, at least 10 seconds later.',
    data: z.object({ playlistID: z.string(), streamID, version: z.int() }),
  },
  {
    type: 'playlist.publish_failed',
    scope: 'service:read',
    summary: 'A playlist could not be published',
    description: 'Streams keep playing the live version.',
    data: z.object({ playlistID: z.string(), streamID, failure }),
  },
  {
    type: 'connection.lost',
    scope: 'service:read',
    summary: 'A connected channel was lost',
    description:
      "The consent of the channel's owner has ended. Unless the channel is connected again within six days, its " +
      'data is deleted.',
    data: z.object({ connectionID: z.string(), platform: z.enum(platformNames), title: z.string().nullable() }),
  },
  {
    type: 'stream.platform_disagrees',
    scope: 'service:read',
    summary: 'A platform reports trouble with a stream that is on the air',
    description:
      'The platform accepts the media but has reported for a minute that it receives none, or that its health ' +
      'is bad. This does not change the state of the stream.',
    data: z.object({
      streamID,
      streamName: z.string().nullable(),
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
    summary: 'An incident was confirmed',
    description:
      'Sent once per incident, even if the fault comes and goes. Incidents about credits have events of their ' +
      'own.',
    data: incident,
  },
  {
    type: 'incident.ended',
    scope: 'service:read',
    summary: 'An incident is over',
    description: 'The fault has been gone for long enough, or the affected resource was stopped or deleted.',
    data: incident,
  },
  {
    type: 'credits.low',
    scope: 'service:billing',
    summary: 'Credits will run out soon',
    description:
      'At the current rate of use, the credits last less than a day or less than an hour, as `within` shows.',
    data: z.object({ within: z.enum(['day', 'hour']), creditsLeft, creditsExhaustedAt }),
  },
  {
    type: 'credits.exhausted',
    scope: 'service:billing',
    summary: 'Credits are used up',
    description: `Live streams run for up to ${graceMs / 60_000} more minutes, so that a pending top-up can arrive.`,
    data: z.object({ creditsLeft, creditsExhaustedAt }),
  },
  {
    type: 'credits.streams_stopped',
    scope: 'service:billing',
    summary: 'Streams were stopped because credits ran out',
    description: 'Each of these streams also sends stream.state_changed.',
    data: z.object({ streamIDs: z.array(z.string()), streams: z.array(notifiedStreamSchema) }),
  },
  {
    type: 'payment.refunded',
    scope: 'service:billing',
    summary: 'A payment was refunded',
    description: 'The credits of the payment were taken back.',
    data: z.object({ invoiceID, creditsTakenBack }),
  },
  {
    type: 'payment.disputed',
    scope: 'service:billing',
    summary: 'A payment is disputed',
    description: 'The credits of the payment were taken back until the dispute is decided.',
    data: z.object({ invoiceID, creditsTakenBack }),
  },
] as const satisfies readonly WebhookEvent[];

export type WebhookEventType = (typeof webhookEvents)[number]['type'];

export const webhookEventTypes = webhookEvents.map(({ type }) => type) as [WebhookEventType, ...WebhookEventType[]];
