// Senders that are killed with SIGKILL while they deliver, one after the other: every event arrives, and each repetition says that it is one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { testDataKey, testService } from '../support/service.ts';
import { startReceiver } from './receiver.ts';

const service = testService();
const streams = 24;
const kills = 4;

const script = `
  import { createPool } from ${JSON.stringify(new URL('../../lambda/data/queryable.ts', import.meta.url).href)};
  import { createSealer } from ${JSON.stringify(new URL('../../lambda/ports/sealer/sealer.ts', import.meta.url).href)};
  import { testSender } from ${JSON.stringify(new URL('sender.ts', import.meta.url).href)};
  const { DATABASE_URL: connectionString, DATA_KEY } = process.env;
  const pool = createPool({ connectionString, max: 4 });
  await testSender(pool, createSealer([{ id: 1, key: Buffer.from(DATA_KEY, 'hex') }]), { attempts: { timeoutMs: 60_000 } }).work();
  await pool.end();`;

test('nothing is lost', async () => {
  await using receiver = await startReceiver();
  const user = await service.user();
  const {
    body: { id, secret },
  } = await user.call('POST', '/webhooks', { url: receiver.url, events: ['stream.state_changed'] });
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
    // Half of them before there is an answer, half of them right after the first.
    receiver.answer = killed % 2 === 0 ? () => {} : answerAll;
    const before = receiver.received.length;
    const sender = startSender();
    const exited = once(sender, 'exit');
    await receiver.has(before + 1);
    sender.kill('SIGKILL');
    await exited;
    // Its lease ends, and a sweep finds what it left.
    await service.pool().query('update webhooks set leased_until = null');
    await databaseOn(service.pool()).webhooks.wakeForgotten(0);
  }
  receiver.answer = answerAll;
  const [code] = await once(startSender(), 'exit');

  expect(code).toBe(0);
  const { rows } = await service
    .pool()
    .query('select state, count(*) from webhook_deliveries where webhook_id = $1 group by state', [id]);
  expect(rows).toEqual([{ state: 'delivered', count: streams }]);
  const told = receiver.verified(secret);
  expect(new Set(told.map(({ data }) => data['streamID'])).size).toBe(streams);
  expect(new Set(receiver.received.map((received) => received.id)).size).toBe(streams);
  expect(new Set(receiver.received.map(({ id: eventID, body }) => eventID + body)).size).toBe(streams);
  expect(told.length).toBeGreaterThan(streams);
});
