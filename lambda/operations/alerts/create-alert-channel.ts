// POST /alert-channels: creates a channel that receives a message when an incident is confirmed and when it ends.
import * as z from 'zod';
import { confirmedAfterSeconds, incidentKinds } from '../../domain/notices/incidents.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { assertMayReport } from '../reported-kinds.ts';
import {
  alertChannelFields,
  alertChannelSchema,
  exampleChannel,
  presentAlertChannel,
  readableKinds,
  scopeOfIncident,
  storedTarget,
} from './alert-channel-schema.ts';

const { name, kind, target, events, afterSeconds, quietHours, enabled } = alertChannelFields;

export const createAlertChannel = operation(['service:write'], {
  summary: 'Create an alert channel',
  description:
    'Creates a channel that receives one message when an incident is confirmed and one when it has ended. Next: ' +
    'test_alert_channel.',
  tag: 'alert-channels',
  route: 'POST /alert-channels',
  body: z
    .strictObject({
      name,
      kind,
      target: target.optional(),
      events: events.optional().describe('Kinds of incidents to report. Default: all that the caller may read.'),
      afterSeconds: afterSeconds.default(confirmedAfterSeconds),
      quietHours: quietHours.default(null),
      enabled: enabled.default(true),
    })
    .meta({ examples: [exampleChannel] }),
  output: { status: 201, body: alertChannelSchema, location: (channel) => `/alert-channels/${channel.id}` },
  errors: ['webhook_url_forbidden', 'limit_reached'],
  hints: { openWorld: true },
  async handle(ctx, { body }) {
    const readable = readableKinds(ctx);
    const received = [...new Set(body.events ?? (readable.length > 0 ? readable : incidentKinds))];
    assertMayReport(ctx, received, scopeOfIncident);
    const id = ctx.newID('alc');
    const stored = await storedTarget(ctx, { id, kind: body.kind }, body.target);
    await assertRoom(ctx, { alertChannels: 1 });
    const channel = {
      id,
      user_id: ctx.caller.userID,
      kind: body.kind,
      name: body.name,
      ...stored,
      events: received,
      after_seconds: body.afterSeconds,
      quiet_hours: body.quietHours,
      enabled: body.enabled,
    };
    return presentAlertChannel(await ctx.data.alertChannels.insert(channel, ctx.caller.clientID));
  },
});
