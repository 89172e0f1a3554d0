// A user is sent a bounded number of mails, so that one user cannot use up what all may be sent in a day.
import { beforeEach, describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { bounds } from '../../lambda/domain/shared/bounds.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { clearAlerts, passSeconds, storeIncident } from '../support/incidents.ts';
import { testDataKey, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { clearEvents, clearNotifications, countUnsentNotifications } from '../support/webhook-deliveries.ts';
import { startReceiver } from './receiver.ts';
import { testSender } from './sender.ts';

const service = testService();
const sender = () => testSender(service.pool(), createSealer([testDataKey]));
const data = () => databaseOn(service.pool());
let user: TestUser;

beforeEach(async () => {
  await clearAlerts(service);
  await clearEvents(service);
  await clearNotifications(service);
  user = await service.user();
});

/** Lets time pass for the counts of mails. */
const countsPass = (hours: number) =>
  service.pool().query('update request_windows set began_at = began_at - make_interval(hours => $1)', [hours]);
const mailChannel = async (owner = user): Promise<string> =>
  (await owner.call('POST', '/alert-channels', { name: 'me', kind: 'email', afterSeconds: 0 })).body.id;
const notify = (reference: string, owner = user) =>
  data().notifications.add({
    userID: owner.id,
    kind: 'webhook_overflowed',
    reference,
    detail: { webhookID: reference, waiting: 1000 },
    dueAt: new Date(),
  });

describe('tests of alert channels by mail', () => {
  it('are refused beyond ten an hour, on all channels together', async () => {
    const { mails, work } = sender();
    const channels = [await mailChannel(), await mailChannel()];
    const test = async (index: number) => {
      const answer = await user.call('POST', `/alert-channels/${channels[index % 2]}/test`);
      await work();
      return answer;
    };
    for (let count = 0; count < bounds.testMailsPerHour; count++) expect((await test(count)).status).toBe(202);
    const refused = await test(0);
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect(mails).toHaveLength(bounds.testMailsPerHour);
    await countsPass(1);
    expect((await test(0)).status).toBe(202);
    expect(mails).toHaveLength(bounds.testMailsPerHour + 1);
  });

  it('are refused after as many alerts as a day has', async () => {
    const { mails, work } = sender();
    const id = await mailChannel();
    let sent = 0;
    for (let hour = 0; hour < 8; hour++) {
      for (let count = 0; count < bounds.testMailsPerHour; count++) {
        const { status } = await user.call('POST', `/alert-channels/${id}/test`);
        await work();
        if (status === 202) sent++;
      }
      await service.pool().query(`delete from request_windows where class = 'test_mail'`);
    }
    expect([sent, mails.length]).toEqual([bounds.alertMailsPerDay, bounds.alertMailsPerDay]);
  });

  it('on channels that are no mails have no such bound', async () => {
    await using receiver = await startReceiver();
    const made = { name: 'us', kind: 'webhook', target: receiver.url };
    const { body } = await user.call('POST', '/alert-channels', made);
    for (let count = 0; count < 2 * bounds.testMailsPerHour; count++)
      expect((await user.call('POST', `/alert-channels/${body.id}/test`)).status).toBe(202);
  });
});

describe('alerts by mail', () => {
  it('come once an hour, all in one mail, after as many as a day has', async () => {
    const { mails, work } = sender();
    const channelID = await mailChannel();
    const incident = async () => {
      const incidentID = await storeIncident(service, user.id, 'stream_away');
      await data().alertNotices.add([{ channelID, incidentID, dueAt: new Date() }]);
      await data().alertNotices.wake([incidentID]);
      await work();
    };
    for (let count = 0; count < bounds.alertMailsPerDay + 5; count++) await incident();
    expect(mails).toHaveLength(bounds.alertMailsPerDay + 1);
    expect((await user.call('GET', '/incidents?limit=100')).body.data).toHaveLength(bounds.alertMailsPerDay + 5);
    await countsPass(1);
    await passSeconds(service, 3600);
    await work();
    expect(mails).toHaveLength(bounds.alertMailsPerDay + 2);
    expect(mails.at(-1)!.subject).toContain('4 new incidents');
  });
});

describe('notifications', () => {
  const most = bounds.notificationMailsPerDay;

  it('beyond those of a day are read on the page and not mailed, and others are mailed theirs', async () => {
    const { mails, work } = sender();
    for (let count = 0; count < most + 10; count++) await notify(`whk_${count}`);
    const other = await service.user();
    await notify('whk_other', other);
    expect(await work()).toBe(0);
    expect(mails.filter(({ to }) => to === `${user.id}@example.com`)).toHaveLength(most);
    expect(mails.filter(({ to }) => to === `${other.id}@example.com`)).toHaveLength(1);
    expect((await user.call('GET', '/notifications?limit=100')).body.data).toHaveLength(most + 10);
    await data().webhooks.wakeForgotten(0);
    await work();
    expect(mails).toHaveLength(most + 1);
    await countsPass(24);
    await notify('whk_tomorrow');
    await work();
    expect(mails).toHaveLength(most + 2);
  });

  it('of a webhook that is enabled again and again are bounded as well', async () => {
    await using receiver = await startReceiver();
    receiver.answer = (response) => response.writeHead(410).end();
    const { mails, work } = sender();
    const { body } = await user.call('POST', '/webhooks', { url: receiver.url, events: ['credits.low'] });
    for (let count = 0; count < most + 5; count++) {
      await user.call('PATCH', `/webhooks/${body.id}`, { enabled: true });
      await user.call('POST', `/webhooks/${body.id}/test`);
      await work();
    }
    expect(mails).toHaveLength(most);
  });

  it('are kept for a year, and the last thousand of a user', async () => {
    await service.pool().query(
      `insert into notifications (user_id, kind, reference, detail, due_at, sent_at, created_at)
       select $1, 'webhook_overflowed', 'old ' || n, '{}', now(), now(),
         now() - make_interval(days => 400 - n % 2 * 300)
       from generate_series(1, 1400) as n`,
      [user.id],
    );
    await notify('whk_new');
    await sender().work();
    const kept = async () =>
      (await service.pool().query('select from notifications where user_id = $1', [user.id])).rowCount;
    expect(await kept()).toBe(bounds.keptNotificationsPerUser);
    await data().notifications.forget(bounds.keptNotificationDays, 5000);
    expect(await kept()).toBe(bounds.keptNotificationsPerUser / 2);
    expect(await countUnsentNotifications(service)).toBe(0);
  });
});
