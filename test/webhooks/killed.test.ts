// Senders are killed with SIGKILL while they deliver, in turn. Every event arrives, and repetitions are marked.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { testDataKey, testService } from '../support/service.ts';
import { deliveryStates, endSenderLeases } from '../support/webhook-deliveries.ts';
import { startReceiver } from './receiver.ts';

const service = testService();
const streams = 24;
const kills = 4;

/** A module, as the program below imports it. */
const moduleAt = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
const script = `
  import { createPool } from ${moduleAt('../../lambda/data/shared/queryable.ts')};
  import { createSealer } from ${moduleAt('../../lambda/ports/sealer/sealer.ts')};
  import { testSender } from ${moduleAt('sender.ts')};
  const { DATABASE_URL: connectionString, DATA_KEY } = process.env;
  const pool = createPool({ connectionString, max: 4 });
  const sealer = createSealer([{ id: 1, key: Buffer.from(DATA_KEY, 'hex') }]);
  await testSender(pool, sealer, { attempts: { timeoutMs: 60_000 } }).work();
  await pool.end();`;

test('no event is lost when senders are killed', async () => {
  await using receiver = await startReceiver();
  const user = await service.user();
  const events = ['stream.state_changed'];
  const { secret } = (await user.call('POST', '/webhooks', { url: receiver.url, events })).body;
  for (let count = 0; count < streams; count++) {
    const { body: stream } = await user.call('POST', '/streams', {});
    await user.call('POST', `/streams/${stream.id}/schedule`, { scheduleStartAt: '9999-01-01T00:00:00Z' });
  }
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: service.databaseURL(),
    DATA_KEY: testDataKey.key.toString('hex'),
  };
  const startSender = () => spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio: 'inherit' });
  const answerAll = receiver.answer;

  for (let killed = 0; killed < kills; killed++) {
    // Half of the senders are killed before they get an answer, and half right after their first one.
    receiver.answer = killed % 2 === 0 ? () => {} : answerAll;
    const before = receiver.received.length;
    const sender = startSender();
    const exited = once(sender, 'exit');
    await receiver.has(before + 1);
    sender.kill('SIGKILL');
    await exited;
    // The lease of the dead sender ends, and a sweep finds its remaining work.
    await endSenderLeases(service);
    await databaseOn(service.pool()).webhooks.wakeForgotten(0);
  }
  receiver.answer = answerAll;
  const [code] = await once(startSender(), 'exit');

  expect(code).toBe(0);
  expect(await deliveryStates(service)).toEqual(Array(streams).fill('delivered'));
  const told = receiver.verified(secret);
  expect(new Set(told.map(({ data }) => data['streamID'])).size).toBe(streams);
  expect(new Set(receiver.received.map((received) => received.id)).size).toBe(streams);
  expect(new Set(receiver.received.map(({ id: eventID, body }) => eventID + body)).size).toBe(streams);
  expect(told.length).toBeGreaterThan(streams);
});
