// During a deployment, code of the previous release runs on the new schema: its statements must still work.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { hashLiveKey } from '../../lambda/domain/live/live-key.ts';
import { sweep } from '../../lambda/jobs/sweep.ts';
import { createTimersHandler } from '../../lambda/jobs/timers.ts';
import { endSession } from '../../lambda/orchestration/live/takeovers.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { createOutboxTimers } from '../../lambda/ports/timers/outbox-timers.ts';
import { actorsOn, inFuture, startOptions, statsWith, storage } from '../support/actors.ts';
import { pretendPrepared, pretendReceived } from '../support/live-inputs.ts';
import { testDatabase } from '../support/database.ts';
import { testDataKey, testService } from '../support/service.ts';
import { testSender } from '../webhooks/sender.ts';
import { recordStatements, replayStatements, type SentStatement } from './statement-recording.ts';

/** A file for each release that changed the schema, by the number of its last migration. */
const folder = join(import.meta.dirname, 'statements');
const [lastMigration = ''] = readdirSync(join(import.meta.dirname, '../../lambda/data/migrations'))
  .sort()
  .reverse();
const current = `after-${lastMigration.slice(0, 4)}.json`;
const previous = readdirSync(folder)
  .sort()
  .filter((file) => file < current)
  .slice(-1);
const read = (file: string): SentStatement[] =>
  existsSync(join(folder, file)) ? JSON.parse(readFileSync(join(folder, file), 'utf8')) : [];

const service = testService();
const {
  activeStream,
  call,
  claim,
  data,
  destination,
  fallDue,
  fire,
  loseLease,
  readyStream,
  register,
  report,
  startedStream,
  transaction,
  unprobed,
  upload,
  user,
} = actorsOn(service);
let recording: ReturnType<typeof recordStatements>;
beforeAll(() => {
  recording = recordStatements();
});

/** Simulates clients, agents and jobs during the life of a few streams. */
async function liveThrough(): Promise<void> {
  const queue = createPostgresCommandQueue({ pool: service.pool(), log: () => {} });
  const { notifications } = databaseOn(service.pool());
  const jobs = {
    pool: service.pool(),
    queue,
    timers: createOutboxTimers(service.pool()),
    startOptions,
    storage,
    clock: () => new Date(),
  };

  const { body: webhook } = await call('POST', '/webhooks', {
    url: 'http://127.0.0.1:9/',
    events: ['stream.state_changed'],
  });
  const video = await upload();
  const scheduled = await readyStream();
  for (const kind of ['video', 'audio']) {
    const { body: playlist } = await call('POST', '/playlists', { streamID: scheduled, kind, mode: 'sequential' });
    await call('POST', `/playlists/${playlist.id}/operations`, { operations: [{ op: 'add', uploadID: video }] });
    await call('POST', `/playlists/${playlist.id}/publish`);
    await call('POST', '/streams', { streamBackend: 'manifest', preparedPlaylistIDs: [playlist.id] });
    await call('GET', `/playlists/${playlist.id}`);
  }
  await call('POST', `/streams/${scheduled}/schedule`, {
    scheduleStartAt: inFuture(60),
    scheduleEndAt: inFuture(3600),
  });
  await sweep(jobs);
  await fallDue(scheduled, 'schedule_start');
  await createTimersHandler(jobs)({ Records: [] });

  await register('first');
  const { id: live, held } = await activeStream('first', {
    agentModeEnabled: true,
    runBackupStream: true,
    streamDuration: 3600,
  });
  for (const path of [
    `/streams/${live}`,
    `/streams/${live}/stats`,
    `/streams/${live}/readiness`,
    '/streams?state=active',
    `/streams?ids=${live}`,
    '/me',
  ])
    await call('GET', path);
  await report(held[0]!, 'failing');
  await fallDue(live, 'duration_over');
  await fire();
  await loseLease('first');
  await register('second');
  await sweep(jobs);
  const [taken] = await claim('second');
  const { agentRenewals, agents, replicas, figures } = data();
  await agentRenewals.renew('second', undefined, await agentRenewals.renew('second'), 0);
  await agents.peerURLs('second');
  await replicas.changedOf('second', []);
  await figures.write('second', [{ replicaID: taken!.id, epoch: taken!.epoch, stats: statsWith({}) }]);

  await showLive();
  const stopped = await startedStream();
  await call('PATCH', `/streams/${stopped}`, { name: 'renamed' });
  await call('POST', `/streams/${stopped}/stop`);
  await call('DELETE', `/streams/${stopped}`);
  await call('DELETE', `/uploads/${await unprobed()}`);
  const url = await call('POST', `/uploads/${await unprobed()}/upload-url`);
  expect(url.status).toBe(200);
  await destination();
  for (const path of ['/uploads', '/playlists', '/destinations', '/webhooks']) await call('GET', path);

  await notifications.add({
    userID: user().id,
    kind: 'credits_exhausted',
    reference: 'x',
    detail: {},
    dueAt: new Date(),
  });
  await testSender(service.pool(), createSealer([testDataKey])).work();
  const { body: deliveries } = await call('GET', `/webhooks/${webhook.id}/deliveries`);
  const [delivery] = deliveries.data;
  await call('POST', `/webhooks/${webhook.id}/deliveries/${delivery.id}/redeliver`);
  await call('PATCH', `/webhooks/${webhook.id}`, { enabled: false });
  await call('DELETE', `/webhooks/${webhook.id}`);
}

/** Lets a contributor take a stream over, twice lost and continued, until it is handed back. */
async function showLive(): Promise<void> {
  const streamID = await startedStream();
  await pretendPrepared(service, streamID);
  const { body: input } = await call('POST', '/live-inputs', { name: 'Studio', streamID });
  const path = `/live-inputs/${input.id}`;
  await call('PATCH', path, { takes: 'always' });
  await data().liveInputs.ofKey(hashLiveKey((await call('POST', `${path}/rotate-key`)).body.key));
  await call('POST', `${path}/rotate-passphrase`);
  await data().liveInputs.sealedPassphraseOf(input.id);
  const takeOver = () => call('POST', `/streams/${streamID}/takeovers`, { liveInputID: input.id });
  const first = await pretendReceived(service, input.id);
  expect((await takeOver()).status).toBe(202);
  const { timelines, takeovers, liveSessions } = data();
  await timelines.ofStream(streamID, { fromSeconds: 0, toSeconds: Infinity });
  await takeovers.intervalsOf(streamID);
  await transaction(async (tx) =>
    endSession(tx, first, { reason: 'lost', stored: { count: 9, sha256: null }, now: await tx.now() }),
  );
  await pretendReceived(service, input.id);
  expect((await takeOver()).status).toBe(202);
  for (const read of [path, `/live-inputs?streamID=${streamID}`, `/streams/${streamID}/takeover`])
    await call('GET', read);
  expect((await call('POST', `/streams/${streamID}/hand-back`)).status).toBe(202);
  await takeovers.due(12, 10);
  await liveSessions.silentFor(10, 10);
  await liveSessions.forget(10, 10);
  await call('DELETE', path);
}

const textsOf = (statements: readonly SentStatement[]) => new Set(statements.map(([, text]) => text));

it('every statement of this release is on record, for the next release', { timeout: 60_000 }, async () => {
  await liveThrough();
  const statements = recording.stop();
  if (process.env.RECORD_STATEMENTS === '1')
    writeFileSync(
      join(folder, current),
      `[\n${statements.map((statement) => JSON.stringify(statement)).join(',\n')}\n]\n`,
    );
  const missing = [...textsOf(statements).difference(textsOf(read(current)))];
  expect(missing, 'record them: RECORD_STATEMENTS=1 npm run vitest -- run test/migrate').toEqual([]);
});

describe.each([...previous, current])('the statements on record in %s', (file) => {
  const database = testDatabase();

  it('run on the schema of this release', { timeout: 60_000 }, async () => {
    const statements = read(file);
    expect(textsOf(statements).size).toBeGreaterThan(50);
    await replayStatements(database.pool(), statements);
  });
});
