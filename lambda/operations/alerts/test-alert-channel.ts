// POST /alert-channels/{id}/test: sends a test message to a channel.
import { bounds } from '../../domain/shared/bounds.ts';
import { countTestMail, mailedUser } from '../../orchestration/notices/count-mails.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { alertChannelSchema, presentAlertChannel } from './alert-channel-schema.ts';

export const testAlertChannel = operation(['service:write'], {
  summary: 'Send a test message',
  description:
    'Sends the message immediately, even in quiet hours. ' +
    `By mail, ${bounds.testMailsPerHour} an hour are sent. Next: poll get_alert_channel until lastDelivery.at is ` +
    'newer.',
  tag: 'alert-channels',
  route: 'POST /alert-channels/{id}/test',
  output: { status: 202, body: alertChannelSchema },
  errors: ['webhook_disabled'],
  hints: { openWorld: true },
  async handle(ctx, { params }) {
    const channel = orNotFound(await ctx.data.alertChannels.lock(ctx.caller.userID, params.id), 'alert channel');
    if (!channel.enabled) throw new ProblemError('webhook_disabled', 'The channel is disabled. Enable it first.');
    if (channel.kind === 'email') await assertMayMail(ctx);
    await ctx.data.outbox.send({ queue: 'webhooks', body: { alertChannelID: channel.id } });
    return presentAlertChannel(await ctx.data.alertChannels.askTest(channel.id));
  },
});

/** @throws {ProblemError} rate_limited */
async function assertMayMail({ data, caller }: Context): Promise<void> {
  const limit = await countTestMail(data, await mailedUser(data, caller.userID));
  if (limit === null) return;
  const { isOfUnfunded, seconds } = limit;
  const reached = isOfUnfunded
    ? 'Users without a purchase have been mailed as much as they may be, you alone or all together; a purchase of ' +
      'credits ends this limit.'
    : `You have been mailed ${bounds.testMailsPerHour} tests within an hour, or ${bounds.alertMailsPerDay} tests and ` +
      'alerts within a day.';
  throw new ProblemError('rate_limited', `${reached} Wait ${seconds} seconds.`, {
    headers: { 'retry-after': String(seconds) },
  });
}
