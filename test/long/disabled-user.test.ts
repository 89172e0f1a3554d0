// An operator disables a user with streams on air: they end within two seconds, with both backends.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { createLoop, until, uploadFile, watchChannels } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { testLocalRun } from '../support/test-local-run.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const run = testLocalRun('--no-demo', '--agents', '2');
const tool = join(import.meta.dirname, '../../bin/operate.ts');
const email = 'you@example.com';
const promisedMs = 2000;

let clip: string;
let streamIDs: string[];
beforeAll(async () => {
  const { api } = run;
  const { rtmpURL } = run.connection;
  clip = await uploadFile(api, await mediaSample('still.png'), 'image/png');
  streamIDs = [];
  for (const streamBackend of ['ffmpeg', 'manifest'])
    streamIDs.push(
      await createLoop(
        api,
        [clip],
        { rtmpURL, streamKey: streamBackend },
        { quality: 'q_720p', framerate: 'f_30', streamBackend },
      ),
    );
});

async function operate(...args: string[]) {
  const all = [tool, 'local', ...args, '--data', run.dataFolder, '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, all);
  return JSON.parse(stdout);
}
const live = async () => (await watchChannels(run)).filter((channel) => channel.live);
const stateOf = async (id: string) => (await run.api('GET', `/streams/${id}`)).state;

test('a disabled user is off air, and goes on when enabled', async () => {
  const { api } = run;
  await using receiver = await startReceiver();
  await api('POST', '/webhooks', { url: receiver.url, events: ['stream.state_changed'] });
  const waiting = await createLoop(api, [clip], { rtmpURL: run.connection.rtmpURL, streamKey: 'later' });
  for (const id of streamIDs) await api('POST', `/streams/${id}/start`);
  await until(async () => (await Promise.all(streamIDs.map(stateOf))).every((state) => state === 'active'));
  expect(await live()).toHaveLength(2);
  // By then the user is disabled, however slow the two commands are on a busy machine.
  const scheduleStartAt = new Date(Date.now() + 20_000).toISOString();
  await api('POST', `/streams/${waiting}/schedule`, { scheduleStartAt });

  const dry = await operate('user', 'disable', email, '--reason', 'they stream football', '--dry-run');
  expect(dry).toMatchObject({ outcome: 'dry_run', rows: [{ state: 'active' }, { state: 'active' }] });
  expect(await live()).toHaveLength(2);

  const disabling = operate('user', 'disable', email, '--reason', 'they stream football');
  let endedAt = Number.POSITIVE_INFINITY;
  await until(async () => {
    endedAt = Date.now();
    return (await live()).length === 0;
  });
  await disabling;
  await using pool = disposable(run.connection.databaseURL);
  const { rows } = await pool.query('select disabled_at from users where email = $1', [email]);
  console.log(`off air ${endedAt - rows[0].disabled_at.getTime()} ms after the user was disabled`);
  expect(endedAt - rows[0].disabled_at.getTime()).toBeLessThan(promisedMs);

  await expect(api('POST', `/streams/${streamIDs[0]}/start`)).rejects.toThrow('401');
  // The time of the schedule passes, and the agents check once more.
  await setTimeout(Date.parse(scheduleStartAt) + 3000 - Date.now());
  const told = receiver.received.length;
  expect(await live()).toEqual([]);
  const kept = await operate('record', 'show', '--last', '2');
  expect(kept.rows).toMatchObject([
    {
      command: `user disable ${email}`,
      reason: 'they stream football',
      outcome: 'done',
      operator: expect.stringContaining('@'),
    },
    { command: `user disable ${email}`, outcome: 'dry_run' },
  ]);

  await operate('user', 'enable', email, '--reason', 'they stopped');
  // The schedule resumes, and the webhook receives the missed events.
  await until(async () => (await stateOf(waiting)) === 'active');
  await until(async () => receiver.received.slice(told).some(({ body }) => body.includes('account_at_rest')));
  expect(await Promise.all(streamIDs.map(stateOf))).toEqual(['stopped', 'stopped']);
});

function disposable(connectionString: string) {
  const pool = createPool({ connectionString, max: 1 });
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.end() });
}
