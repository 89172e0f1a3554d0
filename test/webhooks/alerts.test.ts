// Users are notified once of a fault and once of its end, through realistic stand-ins of chat services.
import { beforeEach, describe, expect, it } from 'vitest';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { actorsOn } from '../support/actors.ts';
import { startAlertServices } from '../support/alert-services.ts';
import type { AlertService, AlertServices } from '../support/alert-services.ts';
import { clearAlerts, failEverything, passSeconds } from '../support/incidents.ts';
import { sealedSecretOf } from '../support/sealed-columns.ts';
import { testDataKey, testService } from '../support/service.ts';
import { clearEvents } from '../support/webhook-deliveries.ts';
import { startReceiver } from './receiver.ts';
import { testSender } from './sender.ts';

const service = testService();
const { activeStream, call, create, register, report, user } = actorsOn(service);

beforeEach(async () => {
  await clearAlerts(service);
  await clearEvents(service);
});

const senderTo = ({ url }: AlertServices) =>
  testSender(service.pool(), createSealer([testDataKey]), { telegramURL: url, attempts: { timeoutMs: 300 } });
type Sender = ReturnType<typeof senderTo>;
const channelAt = async (services: AlertServices, kind: AlertService, more: object = {}) =>
  create('/alert-channels', { name: 'us', kind, target: services.targets[kind], ...more });
const channel = async (id: string) => (await call('GET', `/alert-channels/${id}`)).body;
const incidents = async () => (await call('GET', '/incidents')).body.data;
/** Lets time pass, and carries out the work that is due then. */
const pass = async (sender: Sender, seconds: number) => {
  await passSeconds(service, seconds);
  await sender.work();
};
const reset = { reason: { code: 'unreachable', detail: 'No server accepts connections there.' } };
/** A live stream. */
const onAir = async (more: object = {}) => {
  await register('agent');
  const { id, held } = await activeStream('agent', { name: 'Night <radio>', ...more });
  return {
    id,
    goAway: () => report(held[0]!, 'failing', reset),
    comeBack: () => report(held[0]!, 'live'),
  };
};

it('of a stream that is away people are told all that they need, and then that it is well', async () => {
  await using services = await startAlertServices();
  const sender = senderTo(services);
  await channelAt(services, 'slack');
  const stream = await onAir();
  await stream.goAway();
  await sender.work();
  expect([services.taken, await incidents()]).toEqual([[], []]);

  await pass(sender, 31);
  const [incident] = await incidents();
  expect(incident).toMatchObject({
    kind: 'stream_away',
    streamID: stream.id,
    outputID: null,
    endedAt: null,
    count: 1,
    advice: expect.stringContaining('Check the URL of the destination'),
  });
  expect(
    services.taken.map(({ text }) =>
      text.replace(/\d{1,2} \w+.? at \d\d:\d\d:\d\d|\d{1,2} \w+, \d\d:\d\d:\d\d/, 'TIME'),
    ),
  ).toEqual([
    [
      'The stream “Night &lt;radio&gt;” is off the air since TIME UTC',
      'No server accepts connections there.',
      'Viewers see a still picture, the waiting picture of the platform, or nothing.',
      'What to do: Check the URL of the destination, and whether its service is up.',
    ].join('\n'),
  ]);

  await stream.comeBack();
  await sender.work();
  expect(services.taken).toHaveLength(1);
  await pass(sender, 31);
  expect(services.taken[1]!.text).toMatch(
    /^Well again: The stream “Night &lt;radio&gt;” was off the air from .* \(\d+ s\)\n/,
  );
  expect((await incidents())[0].endedAt).not.toBeNull();
  await pass(sender, 3600);
  expect(services.taken).toHaveLength(2);
});

it('a stream that flaps is one incident, with one message and its count; one that was stopped is over', async () => {
  await using services = await startAlertServices();
  const sender = senderTo(services);
  await channelAt(services, 'discord', { afterSeconds: 600 });
  const stream = await onAir();
  for (let times = 0; times < 6; times++) {
    await stream.goAway();
    await pass(sender, 9);
    await stream.comeBack();
    await pass(sender, 9);
  }
  expect(services.taken.map(({ text }) => text)).toEqual([expect.stringContaining('3 times')]);
  await stream.goAway();
  await sender.work();
  await call('POST', `/streams/${stream.id}/stop`);
  await sender.work();
  expect(await incidents()).toMatchObject([{ count: 7, endedAt: expect.any(String) }]);
  expect(services.taken.map(({ text }) => text)).toEqual([
    expect.anything(),
    expect.stringMatching(/^Over: .* 7 times\)/),
  ]);
});

it('nobody hears of what passes before their time, and each channel has its own', async () => {
  await using services = await startAlertServices();
  const sender = senderTo(services);
  await channelAt(services, 'slack', { afterSeconds: 0 });
  await channelAt(services, 'telegram', { afterSeconds: 120 });
  await channelAt(services, 'discord', { events: ['publish_failed'] });
  const stream = await onAir();
  await stream.goAway();
  await sender.work();
  await pass(sender, 60);
  await stream.comeBack();
  await sender.work();
  await pass(sender, 31);
  expect(services.taken.map((taken) => taken.service)).toEqual(['slack', 'slack']);
});

it('what happens in quiet hours is told when they end, in one message', async () => {
  await using services = await startAlertServices();
  const sender = senderTo(services);
  const all = { from: '00:00', to: '23:59', timeZone: 'UTC' };
  const id = await channelAt(services, 'telegram', { quietHours: all });
  const stream = await onAir();
  await stream.goAway();
  await sender.work();
  await pass(sender, 40);
  await stream.comeBack();
  await sender.work();
  await pass(sender, 31);
  expect([services.taken, await incidents()]).toEqual([[], [expect.anything()]]);
  await call('PATCH', `/alert-channels/${id}`, { quietHours: null });
  await sender.work();
  expect(services.taken.map(({ text }) => text)).toEqual([expect.stringMatching(/^Well again: .*\nNo server accepts/)]);
});

it('many incidents come in one message, which every service takes', async () => {
  await using services = await startAlertServices();
  const sender = senderTo(services);
  for (const kind of ['slack', 'discord', 'telegram'] as const) await channelAt(services, kind, { afterSeconds: 0 });
  const mailed = await create('/alert-channels', { name: 'me', kind: 'email', afterSeconds: 0 });
  for (let count = 0; count < 30; count++) {
    // On a busy machine, thirty starts take longer than the lease of one agent.
    await register(`agent ${count}`);
    const { held } = await activeStream(`agent ${count}`, { name: `${count} ${'ü'.repeat(90)}` });
    await report(held[0]!, 'failing', reset);
  }
  await sender.work();
  expect(services.taken).toHaveLength(3);
  for (const { text } of services.taken) expect(text).toMatch(/^30 new incidents\n• The stream “\d/);
  expect(sender.mails).toMatchObject([{ subject: '30 new incidents', text: expect.stringContaining('… and 10 more') }]);
  expect(await channel(mailed)).toMatchObject({
    target: expect.stringContaining('@'),
    lastDelivery: { failure: null },
  });
});

describe.each(['slack', 'discord', 'telegram'] as const)('%s', (kind) => {
  it.each(['broken', 'silent', { retryAfterSeconds: 40.2 }] as const)(
    'that is %o is told later, once, and not before it says',
    async (trouble) => {
      await using services = await startAlertServices();
      const sender = senderTo(services);
      const id = await channelAt(services, kind);
      services.trouble = trouble;
      await call('POST', `/alert-channels/${id}/test`);
      await sender.work();
      expect((await channel(id)).lastDelivery.failure.code).toBe(trouble === 'silent' ? 'timed_out' : 'refused');
      const stream = await onAir();
      await stream.goAway();
      await sender.work();
      services.trouble = null;
      if (typeof trouble === 'object') {
        await pass(sender, 40);
        expect(services.taken).toEqual([]);
      }
      await pass(sender, 40);
      // The test notice comes first; current faults follow.
      expect(services.taken.map(({ text }) => text)).toEqual([
        expect.stringMatching(/^Alerts work/),
        expect.stringContaining('is off the air'),
      ]);
      expect((await channel(id)).lastDelivery).toEqual({
        at: expect.any(String),
        status: kind === 'discord' ? 204 : 200,
        failure: null,
      });
    },
  );

  it('that says that the channel is gone is told nothing more, and its user is mailed', async () => {
    await using services = await startAlertServices();
    const sender = senderTo(services);
    const id = await channelAt(services, kind);
    services.trouble = 'gone';
    expect((await call('POST', `/alert-channels/${id}/test`)).status).toBe(202);
    await sender.work();
    expect(await channel(id)).toMatchObject({ enabled: false, disabledReason: { code: 'gone' } });
    expect(sender.mails).toMatchObject([{ subject: 'An alert channel was disabled' }]);
    await pass(sender, 3600);
    expect(services.statuses).toHaveLength(1);
  });
});

it('a plain webhook gets the incidents as JSON', async () => {
  await using receiver = await startReceiver();
  await using services = await startAlertServices();
  const sender = senderTo(services);
  await create('/alert-channels', { name: 'ops', kind: 'webhook', target: receiver.url, afterSeconds: 0 });
  const stream = await onAir();
  await stream.goAway();
  await sender.work();
  const [told] = receiver.received;
  expect(JSON.parse(told!.body)).toEqual({
    text: expect.stringContaining('is off the air'),
    incidents: [
      {
        phase: 'began',
        id: (await incidents())[0].id,
        kind: 'stream_away',
        subjectID: stream.id,
        streamID: stream.id,
        outputID: null,
        beganAt: expect.any(String),
        confirmedAt: expect.any(String),
        endedAt: null,
        count: 1,
        detail: expect.any(String),
        viewers: expect.any(String),
        advice: expect.any(String),
      },
    ],
  });
});

it('targets are sealed, and in no answer and no log', async () => {
  await using services = await startAlertServices();
  const sender = senderTo(services);
  for (const kind of ['slack', 'discord', 'telegram'] as const) {
    const { target } = { target: services.targets[kind] };
    const { body } = await call('POST', '/alert-channels', { name: 'us', kind, target });
    await call('POST', `/alert-channels/${body.id}/test`);
    await sender.work();
    const answers = JSON.stringify([body, await channel(body.id)]);
    for (const secret of ['secret', 'AAExample']) {
      expect(answers + service.logged.join() + sender.logged.join()).not.toContain(secret);
      expect((await sealedSecretOf(service, 'alert_channels', body.id)).includes(secret)).toBe(false);
    }
  }
  expect(services.taken).toHaveLength(3);
});

it('what else goes wrong is told too: a publish, a programme, a file, a source, credits', async () => {
  await using services = await startAlertServices();
  const sender = senderTo(services);
  const id = await channelAt(services, 'telegram', { afterSeconds: 0 });
  const { id: userID } = user();
  const uploadID = await create('/uploads', { name: 'clip', mimeType: 'video/mp4' });
  const sourceID = await create('/sources', { kind: 'rss', url: 'https://example.org/feed.xml' });
  const playlistID = await create('/playlists', {
    streamID: await create('/streams', {}),
    kind: 'video',
    mode: 'sequential',
    name: 'Nights',
  });
  const streamID = await create('/streams', { name: 'Days' });
  const programmeID = await create('/programmes', { streamID });
  await service.pool().query(`update streams set state = 'active' where id = $1`, [streamID]);
  await failEverything(service, { userID, uploadID, sourceID, playlistID, programmeID });
  await sender.work();
  expect((await incidents()).map(({ kind, detail }: { kind: string; detail: string }) => [kind, detail])).toEqual(
    expect.arrayContaining([
      ['media_unplayable', 'The upload “clip” cannot be played. Because.'],
      ['source_unreachable', 'The source “https://example.org/feed.xml” is unreachable. Because.'],
      ['publish_failed', 'The playlist “Nights” could not be published. Because.'],
      ['programme_not_planned', 'The programme of the stream “Days” cannot be planned. Because.'],
      ['credits_low', 'Your credits are used up.'],
    ]),
  );
  expect(services.taken).toHaveLength(1);
  await call('DELETE', `/playlists/${playlistID}`);
  await call('DELETE', `/uploads/${uploadID}`);
  await call('DELETE', `/sources/${sourceID}`);
  await call('DELETE', `/programmes/${programmeID}`);
  await sender.work();
  await call('DELETE', `/alert-channels/${id}`);
  expect((await call('GET', '/incidents?open=true')).body.data).toMatchObject([{ kind: 'credits_low' }]);
});
