// Credits run out under a live stream: its user is warned in time and notified of the end, by mail and by webhook.
import { expect, it } from 'vitest';
import { fireCredits } from '../../lambda/orchestration/accounts/fire-credits.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { actorsOn } from '../support/actors.ts';
import { makeCommandsDue } from '../support/outbox-rows.ts';
import { testDataKey, testService } from '../support/service.ts';
import { makeNotificationsDue } from '../support/webhook-deliveries.ts';
import { startReceiver } from './receiver.ts';
import { testSender } from './sender.ts';

const service = testService();
const { activeStream, call, register, user } = actorsOn(service);
const hourMs = 3_600_000;

it('a user is told a day and an hour before the end, at the end, and when streams stop', async () => {
  await using receiver = await startReceiver();
  const events = ['credits.low', 'credits.exhausted', 'credits.streams_stopped'];
  const { secret } = (await call('POST', '/webhooks', { url: receiver.url, events })).body;
  await register('agent');
  const { id } = await activeStream('agent');
  const began = Date.now();
  const { mails, work } = testSender(service.pool(), createSealer([testDataKey]));
  /** Notices to the user this many hours after the start, by senders that work at the same time. */
  const told = async (hours: number) => {
    for (let count = 0; count < 2; count++) await fireCredits(service.pool(), new Date(began + hours * hourMs));
    await makeNotificationsDue(service);
    await makeCommandsDue(service, 'webhooks');
    await Promise.all([work(), work()]);
    const seen = {
      mails: mails.splice(0).map(({ to, subject }) => `${to}: ${subject}`),
      events: receiver.verified(secret).map(({ type }) => type),
    };
    receiver.received.splice(0);
    return seen;
  };
  const only = (subject: string, event: string) => ({
    mails: [`${user().id}@example.com: ${subject}`],
    events: [event],
  });
  // 1,000 credits at 25 an hour last for 40 hours.
  expect(await told(15)).toEqual({ mails: [], events: [] });
  expect(await told(17)).toEqual(only('Your credits end within a day', 'credits.low'));
  expect(await told(39.5)).toEqual(only('Your credits end within an hour', 'credits.low'));
  expect(await told(40.05)).toEqual(only('Your credits are used up', 'credits.exhausted'));
  const stopped = 'Your streams have stopped: the credits are used up';
  expect(await told(40.1)).toEqual(only(stopped, 'credits.streams_stopped'));
  const { body: stream } = await call('GET', `/streams/${id}`);
  expect(stream).toMatchObject({ state: 'stopping', stateReason: { code: 'no_credits' } });
});
