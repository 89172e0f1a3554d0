// PATCH /alert-channels/{id}: changes what a channel is told, when, and where.
import * as z from 'zod';
import { orNotFound, pathID } from '../fields.ts';
import { operation } from '../operation.ts';
import {
  alertChannelFields,
  alertChannelSchema,
  assertMayBeTold,
  presentAlertChannel,
  storedTarget,
} from './alert-channel-schema.ts';

const { name, target, events, afterSeconds, quietHours, enabled } = alertChannelFields;

export const updateAlertChannel = operation(['service:write'], {
  id: 'updateAlertChannel',
  summary: 'Update an alert channel',
  description: 'An absent field stays. Disabling drops what waits. For another kind make another channel.',
  tag: 'alert-channels',
  method: 'PATCH',
  path: '/alert-channels/{id}',
  params: { id: pathID },
  body: z
    .strictObject({
      name: name.optional(),
      target: target.optional(),
      events: events.optional(),
      afterSeconds: afterSeconds.optional(),
      quietHours: quietHours.optional(),
      enabled: enabled.optional(),
    })
    .meta({ examples: [{ quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Paris' } }] }),
  output: { status: 200, body: alertChannelSchema },
  errors: ['not_found', 'webhook_url_forbidden'],
  async handle(ctx, { params, body }) {
    const before = orNotFound(await ctx.data.alertChannels.lock(ctx.caller.userID, params.id), 'alert channel');
    // To stop what somebody is told takes no more than writing.
    if (body.target !== undefined || body.events || body.enabled) assertMayBeTold(ctx, body.events ?? before.events);
    const stored = body.target === undefined ? before : await storedTarget(ctx, before, body.target);
    const saved = await ctx.data.alertChannels.save(before.id, {
      name: body.name ?? before.name,
      sealed_target: stored.sealed_target,
      shown_target: stored.shown_target,
      host: stored.host,
      events: [...new Set(body.events ?? before.events)],
      after_seconds: body.afterSeconds ?? before.after_seconds,
      quiet_hours: body.quietHours === undefined ? before.quiet_hours : body.quietHours,
      enabled: body.enabled ?? before.enabled,
    });
    await ctx.data.outbox.send({ queue: 'webhooks', body: { alertChannelID: saved.id } });
    return presentAlertChannel(saved);
  },
});
