// PATCH /alert-channels/{id}: changes the settings of a channel.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { assertMaker } from '../maker.ts';
import { operation } from '../operation.ts';
import { assertMayReport } from '../reported-kinds.ts';
import {
  alertChannelFields,
  alertChannelSchema,
  presentAlertChannel,
  scopeOfIncident,
  storedTarget,
} from './alert-channel-schema.ts';

const { name, target, events, afterSeconds, quietHours, enabled } = alertChannelFields;

export const updateAlertChannel = operation(['service:write'], {
  summary: 'Update an alert channel',
  description:
    'Absent fields stay unchanged. Disabling a channel drops its waiting messages. The kind cannot change: create ' +
    'another channel instead. An application may change the target only of channels that it made.',
  tag: 'alert-channels',
  route: 'PATCH /alert-channels/{id}',
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
  errors: ['webhook_url_forbidden'],
  async handle(ctx, { params, body }) {
    const before = orNotFound(await ctx.data.alertChannels.lock(ctx.caller.userID, params.id), 'alert channel');
    // Only adding events, a new target or enabling needs the right to read them. Disabling a channel does not.
    const isTold = body.target !== undefined || body.events || body.enabled;
    if (isTold) assertMayReport(ctx, body.events ?? before.events, scopeOfIncident);
    if (body.target !== undefined) assertMaker(ctx, before, 'target');
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
