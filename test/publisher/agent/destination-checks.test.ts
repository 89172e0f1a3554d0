// An agent checks destinations beside its streams: on request of the API, a few at once, without a stream key.
import { expect, it, onTestFinished } from 'vitest';
import { checking } from '../../../lambda/domain/shared/outbound-limits.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { actorsOn } from '../../support/actors.ts';
import { freePort } from '../../support/ingests.ts';
import { testService } from '../../support/service.ts';
import { startTestAgent } from '../../support/test-agent.ts';
import { startScriptedServer } from '../rtmp/scripted-server.ts';
import type { Script, ServedConnection } from '../rtmp/scripted-server.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, create } = actorsOn(service);

const startAgent = () =>
  startTestAgent(service, { agentID: 'agent', tools, log: () => {}, mediaURL: () => 'http://127.0.0.1:9/' });

async function serve(script?: Script) {
  const server = await startScriptedServer(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const checkOf = async (id: string) => (await call('GET', `/destinations/${id}`)).body.lastCheck;

it('says how far each address of a destination can be reached, and tells neither server the key', async () => {
  startAgent();
  const server = await serve();
  const backupRtmpURL = `rtmp://127.0.0.1:${await freePort()}/live`;
  const id = await create('/destinations', { name: 'x', rtmpURL: server.rtmpURL, backupRtmpURL, streamKey: 'secret' });
  expect((await call('POST', `/destinations/${id}/check`)).body.state).toBe('pending');
  await expect.poll(async () => (await checkOf(id)).state, { timeout: 30_000 }).toBe('done');
  expect(await checkOf(id)).toMatchObject({
    isReachable: false,
    detail: expect.stringMatching(/^The server answers, and takes this address\..* Backup: No server accepts/),
    feeds: [
      { isBackup: false, code: null, steps: ['address', 'tcp', 'handshake', 'app'].map((step) => ({ step })) },
      { isBackup: true, code: 'unreachable', blame: 'destination' },
    ],
  });
  expect(server.commands().map(({ name }) => name)).toEqual(['connect']);
  expect(JSON.stringify(server.commands())).not.toContain('secret');
});

it('begins a few at a time, goes on with the rest by itself, and ends what it has begun before it ends', async () => {
  const agent = startAgent();
  const waiting: (() => void)[] = [];
  const answer = ({ reply }: ServedConnection, transactionID: number) =>
    reply('_result', transactionID, {}, { level: 'status', code: 'NetConnection.Connect.Success' });
  const server = await serve({
    connect: (served, { transactionID }) => void waiting.push(() => answer(served, transactionID)),
  });
  const ids: string[] = [];
  for (let user = 0; user <= checking.mostOfAgent; user++) {
    const caller = await service.user();
    const body = { name: 'x', rtmpURL: server.rtmpURL, streamKey: `key-${user}` };
    const { id } = (await caller.call('POST', '/destinations', body)).body;
    ids.push(id);
    await caller.call('POST', `/destinations/${id}/check`);
  }
  const rows = async () =>
    (
      await service
        .pool()
        .query('select count(claimed_at)::int claimed, count(done_at)::int done from destination_checks')
    ).rows[0];
  await expect.poll(() => waiting.length, { timeout: 30_000 }).toBe(checking.mostOfAgent);
  const unsent = async () => (await service.pool().query(`select from outbox where queue like 'publish-%'`)).rowCount;
  await expect.poll(unsent, { timeout: 30_000 }).toBe(0);
  expect(await rows()).toEqual({ claimed: checking.mostOfAgent, done: 0 });
  waiting[0]!();
  await expect.poll(() => waiting.length, { timeout: 30_000 }).toBe(checking.mostOfAgent + 1);
  const ended = agent.stop();
  for (const go of waiting.slice(1)) go();
  await ended;
  expect(await rows()).toEqual({ claimed: ids.length, done: ids.length });
});
