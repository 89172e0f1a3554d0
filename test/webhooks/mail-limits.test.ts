// A user is sent a bounded number of mails, so that one user cannot use up what all may be sent in a day.
// Users who are not funded are sent a bounded number together, so that SES pauses no mails of others. Decision D289.
import { beforeEach, describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { unfundedUsers } from '../../lambda/data/shared/funded.ts';
import { bounds } from '../../lambda/domain/shared/bounds.ts';
import { MailsPaused } from '../../lambda/ports/mailer/mailer.ts';
import type { Mail } from '../../lambda/ports/mailer/mailer.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { clearAlerts, passSeconds, storeIncident } from '../support/incidents.ts';
import { testDataKey, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { clearEvents, clearNotifications, countUnsentNotifications } from '../support/webhook-deliveries.ts';
import { startReceiver } from './receiver.ts';
import { testSender } from './sender.ts';

const service = testService();
const sender = (settings?: Parameters<typeof testSender>[2]) =>
  testSender(service.pool(), createSealer([testDataKey]), settings);
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

describe('mails to users without a purchase', () => {
  const { perHour, perDay, ofUserPerDay } = bounds.unfundedNoticeMails;
  /** Users without a purchase, each with a channel by mail. */
  const strangers = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const stranger = await service.user(0);
        return { ...stranger, channelID: await mailChannel(stranger) };
      }),
    );
  type Stranger = Awaited<ReturnType<typeof strangers>>[number];
  const askTest = (by: TestUser, channelID: string) => by.call('POST', `/alert-channels/${channelID}/test`);
  const tests = (by: readonly Stranger[]) => Promise.all(by.map((stranger) => askTest(stranger, stranger.channelID)));
  const incident = async (of: TestUser, channelID: string) => {
    const incidentID = await storeIncident(service, of.id, 'stream_away');
    await data().alertNotices.add([{ channelID, incidentID, dueAt: new Date() }]);
    await data().alertNotices.wake([incidentID]);
  };

  beforeEach(() => service.pool().query('delete from request_windows where subject = $1', [unfundedUsers]));

  it('are so few in an hour and a day, of all together, that SES pauses nothing if all come back', async () => {
    const { mails, work } = sender();
    const asked = await strangers(120);
    // As one hour after the other: each account asks until its test is sent.
    for (let hour = 0; hour < 6; hour++) {
      const before = mails.length;
      const answers = await tests(asked);
      await work();
      expect(mails.length - before).toBe(Math.min(perHour, perDay - before));
      expect(answers.filter(({ status }) => status === 202)).toHaveLength(mails.length - before);
      await service
        .pool()
        .query(`delete from request_windows where class = any ($1)`, [['test_mail', 'unfunded_notice_of_hour']]);
    }
    expect(mails).toHaveLength(perDay);
    expect(perDay / (1000 + perDay)).toBeLessThan(0.1);
    const refused = await askTest(asked[0]!, asked[0]!.channelID);
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    expect(refused.body.detail).toContain('a purchase of credits ends this limit');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3600);
  });

  it('keep none from users with a purchase, and a purchase ends the limit', async () => {
    const { mails, work } = sender();
    const asked = await strangers(perHour + 1);
    await tests(asked);
    await work();
    const mailed = new Set(mails.map(({ to }) => to));
    expect(mailed.size).toBe(perHour);
    const channelID = await mailChannel();
    expect((await askTest(user, channelID)).status).toBe(202);
    await incident(user, channelID);
    await notify('whk_funded');
    await work();
    expect(mails).toHaveLength(perHour + 3);
    const unserved = asked.find(({ id }) => !mailed.has(`${id}@example.com`))!;
    const grant = { type: 'adjustment', method: 'grant', cost: 0, credits: 100 } as const;
    await data().invoices.ensurePaid({ id: 'inv_later', userID: unserved.id, ...grant });
    expect((await askTest(unserved, unserved.channelID)).status).toBe(202);
  });

  it('are sent apart from those to users with a purchase', async () => {
    const { mails, work } = sender();
    const [stranger] = await strangers(1);
    const receivers = [[user, await mailChannel()] as const, [stranger!, stranger!.channelID] as const];
    for (const [of, channelID] of receivers) {
      await askTest(of, channelID);
      await work();
      await incident(of, channelID);
      await work();
      await notify(`whk_${of.id}`, of);
      await work();
    }
    expect(mails.map(({ receiver }) => receiver)).toEqual([
      ...Array.from({ length: 3 }, () => 'funded'),
      ...Array.from({ length: 3 }, () => 'unfunded'),
    ]);
  });

  it('beyond are on the page, and alerts come later, all in one mail', async () => {
    const { mails, work } = sender();
    await tests(await strangers(perHour));
    await work();
    const [late] = await strangers(1);
    await notify('whk_late', late);
    await incident(late!, late!.channelID);
    await incident(late!, late!.channelID);
    expect(await work()).toBe(0);
    expect(mails).toHaveLength(perHour);
    expect((await late!.call('GET', '/notifications')).body.data).toHaveLength(1);
    expect((await late!.call('GET', '/incidents')).body.data).toHaveLength(2);
    await countsPass(1);
    await passSeconds(service, 3600);
    await work();
    expect(mails.slice(perHour)).toMatchObject([{ to: `${late!.id}@example.com`, subject: '2 new incidents' }]);
  });

  it('are few for one of them, who cannot use up those of the others', async () => {
    const { mails, work } = sender();
    const [one, other] = await strangers(2);
    for (let count = 0; count < 2 * ofUserPerDay; count++) await notify(`whk_${count}`, one);
    await work();
    expect(mails).toHaveLength(ofUserPerDay);
    expect((await askTest(one!, one!.channelID)).status).toBe(429);
    expect((await askTest(other!, other!.channelID)).status).toBe(202);
  });

  it('are shown on the page while SES has paused them, and alerts wait without a failure', async () => {
    const mails: Mail[] = [];
    let isPaused = true;
    const { work } = sender({
      mailer: {
        send: async (mail) => {
          if (isPaused && mail.receiver === 'unfunded') throw new MailsPaused();
          mails.push(mail);
        },
      },
    });
    const [stranger] = await strangers(1);
    await notify('whk_paused', stranger);
    await incident(stranger!, stranger!.channelID);
    await notify('whk_funded');
    expect(await work()).toBe(0);
    expect(mails.map(({ to }) => to)).toEqual([`${user.id}@example.com`]);
    expect((await stranger!.call('GET', '/notifications')).body.data).toHaveLength(1);
    const channel = async () => (await stranger!.call('GET', `/alert-channels/${stranger!.channelID}`)).body;
    expect(await channel()).toMatchObject({ enabled: true, lastDelivery: null });
    isPaused = false;
    await passSeconds(service, 3600);
    await work();
    expect(mails).toHaveLength(2);
    expect(await channel()).toMatchObject({ lastDelivery: { failure: null } });
  });
});
