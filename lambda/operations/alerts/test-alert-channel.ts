// POST /alert-channels/{id}/test: sends a test message to a channel.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { alertChannelSchema, presentAlertChannel } from './alert-channel-schema.ts';

export const testAlertChannel = operation(['service:write'], {
  summary: 'Send a test message',
  description:
    'Sends the message immediately, even in quiet hours. Next: poll get_alert_channel until lastDelivery.at is ' +
    'newer.',
  tag: 'alert-channels',
  route: 'POST /alert-channels/{id}/test',
  output: { status: 202, body: alertChannelSchema },
  errors: ['webhook_disabled'],
  hints: { openWorld: true },
  async handle(ctx, { params }) {
    const channel = orNotFound(await ctx.data.alertChannels.lock(ctx.caller.userID, params.id), 'alert channel');
    if (!channel.enabled) throw new ProblemError('webhook_disabled', 'The channel is disabled. Enable it first.');
    await ctx.data.outbox.send({ queue: 'webhooks', body: { alertChannelID: channel.id } });
    return presentAlertChannel(await ctx.data.alertChannels.askTest(channel.id));
  },
});
