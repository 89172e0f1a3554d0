// Credits that run out under a live stream: its user is warned a day and an hour ahead, told when they are gone and when streams stop, by mail and webhook, once each.
import { expect, it } from 'vitest';
import { fireCredits } from '../../lambda/orchestration/fire-credits.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { actorsOn } from '../orchestration/actors.ts';
import { testDataKey, testService } from '../support/service.ts';
import { startReceiver } from './receiver.ts';
import { testSender } from './sender.ts';

const service = testService();
const { activeStream, call, register, user } = actorsOn(service);
const hourMs = 3_600_000;

it('is told in time', async () => {
  await using receiver = await startReceiver();
  const {
    body: { secret },
  } = await call('POST', '/webhooks', {
    url: receiver.url,
    events: ['credits.low', 'credits.exhausted', 'credits.streams_stopped'],
  });
  await register('agent');
  const { id } = await activeStream('agent');
  const began = Date.now();
  const { mails, work } = testSender(service.pool(), createSealer([testDataKey]));
  const told = async (hours: number) => {
    // Everywhere, and more than once.
    for (let count = 0; count < 2; count++) await fireCredits(service.pool(), new Date(began + hours * hourMs));
    await service
      .pool()
      .query(
        `with now_due as (update notifications set due_at = now() where sent_at is null) update outbox set visible_at = now() where queue = 'webhooks'`,
      );
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
  expect(await told(40.1)).toEqual(
    only('Your streams have stopped: the credits are used up', 'credits.streams_stopped'),
  );
  expect((await call('GET', `/streams/${id}`)).body).toMatchObject({
    state: 'stopping',
    stateReason: { code: 'no_credits' },
  });
});
