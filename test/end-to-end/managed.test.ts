// A managed stream of a real local run, on a stand-in for YouTube: connected, scheduled, live, stopped.
import { readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { ingestKeyPlace } from '../../lambda/domain/shared/sealed-places.ts';
import { openGrant } from '../../lambda/ports/managed-platforms/kept-grant.ts';
import { createFileKeyWrapper } from '../../lambda/ports/sealer/key-wrapper.ts';
import { openSealer } from '../../lambda/ports/sealer/open-sealer.ts';
import { byMcp, byRest } from '../support/catalogue-client.ts';
import type { CallOperation } from '../support/catalogue-client.ts';
import { until } from '../support/local-run.ts';
import { broadcastsAtYoutube, consentAtYoutube } from '../support/local-youtube.ts';
import { connectMcpClient } from '../support/mcp-clients.ts';
import type { McpClient } from '../support/mcp-clients.ts';
import { mediaSample } from '../support/media-samples.ts';
import { plantedSecrets } from '../support/planted-secrets.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const run = testLocalRun('--no-demo');
/** All answers to the clients, and the codes of users' redirects back from consent. */
const answers: string[] = [];
const codes: string[] = [];
let client: McpClient;
beforeAll(async () => {
  const { mcpURL, apiKey } = run.connection;
  client = await connectMcpClient('v2, negotiating', mcpURL, { headers: { 'x-api-key': apiKey } });
}, 120_000);
afterAll(() => client.close());

async function upload(call: CallOperation, name: 'plain.mp4' | 'still.png', mimeType: string): Promise<string> {
  const path = await mediaSample(name);
  const { id } = await call('create_upload', { name, mimeType, fileSize: (await stat(path)).size });
  const { url, headers } = await call('create_upload_url', { id });
  const put = await fetch(url, { method: 'PUT', headers, body: await readFile(path) });
  expect(put.status).toBe(200);
  await call('complete_upload', { id });
  await until(async () => (await call('get_upload', { id })).probeState === 'completed');
  return id;
}

const surfaces = [
  { surface: 'REST', channel: 'UC-local-loops', call: () => byRest(run.api) },
  { surface: 'MCP', channel: 'UC-local-second', call: () => byMcp(client) },
] as const;

describe.each(surfaces)('by $surface alone', ({ surface, channel, call: connectedCall }) => {
  test('a managed stream goes live at its time, as it was wished, and ends', { timeout: 240_000 }, async () => {
    const connected = connectedCall();
    const call: CallOperation = async (name, args) => {
      const answer = await connected(name, args);
      answers.push(JSON.stringify(answer ?? null));
      return answer;
    };
    const { id: connectionID, authorizeURL } = await call('create_connection', { platform: 'youtube' });
    codes.push(await consentAtYoutube(authorizeURL, channel));
    expect(await call('get_connection', { id: connectionID })).toMatchObject({ state: 'ok', accountID: channel });
    const title = `Night radio by ${surface}`;
    const { id: managedSettingsID } = await call('create_managed_settings', {
      connectionID,
      name: 'Night',
      titleTemplate: `${title} {n}`,
      privacy: 'unlisted',
      madeForKids: false,
      thumbnailUploadID: await upload(call, 'still.png', 'image/png'),
    });
    const { id } = await call('create_stream', {
      name: 'Managed',
      videoUploadObjectID: await upload(call, 'plain.mp4', 'video/mp4'),
      streamDestination: 'managed',
      managedSettingsID,
      quality: 'q_720p',
      framerate: 'f_30',
      streamBackend: 'manifest',
    });
    expect(await call('get_stream_readiness', { id })).toMatchObject({ ready: true, issues: [] });
    const broadcasts = async () => (await call('list_stream_broadcasts', { id })).data;
    const mirror = async () => (await call('get_stream', { id })).mirror;

    const scheduleStartAt = new Date(Date.now() + 45_000);
    await call('schedule_stream', { id, scheduleStartAt: scheduleStartAt.toISOString() });
    await until(async () => (await mirror()).state === 'done');
    expect(await broadcasts()).toMatchObject([{ n: 1, phase: 'prepared', title: `${title} 1` }]);
    const prepared = { lifeCycle: 'ready', hasThumbnail: true, privacyStatus: 'unlisted' };
    expect(await broadcastsAtYoutube(run, `${title} 1`)).toMatchObject([prepared]);
    expect(Date.now()).toBeLessThan(scheduleStartAt.getTime());

    await until(async () => (await broadcasts())[0].phase === 'live');
    expect((await call('get_stream', { id })).state).toBe('active');
    expect(await broadcastsAtYoutube(run, `${title} 1`)).toMatchObject([{ ...prepared, lifeCycle: 'live' }]);
    await until(async () => (await broadcasts())[0].health?.state === 'good');
    await until(async () => (await broadcasts())[0].viewers?.now > 0);

    await call('stop_stream', { id });
    await until(async () => (await mirror()).state === 'done');
    await until(async () => (await call('get_stream', { id })).state === 'stopped');
    expect(await broadcasts()).toMatchObject([{ phase: 'ended' }]);
    expect(await broadcastsAtYoutube(run, `${title} 1`)).toMatchObject([{ lifeCycle: 'complete' }]);
  });
});

describe('a token, a code, a stream key and the secret of our client', () => {
  test('are in no answer, no row, no log and no list of processes', async () => {
    const found = await secretsOfRun();
    // The client's secret, and for each channel a code, two tokens and a key.
    expect(found).toHaveLength(9);
    const secrets = plantedSecrets();
    for (const secret of found) secrets.plantSecret(secret);
    const places: Readonly<Record<string, string>> = {
      answers: answers.join('\n'),
      log: await readFile(join(run.dataFolder, 'platform.log'), 'utf8'),
      database: await everyRow(),
      processes: await commandLines(),
    };
    for (const [place, text] of Object.entries(places)) {
      expect([place, text === '']).toEqual([place, false]);
      secrets.expectNoneIn(text, place);
    }
  });
});

async function secretsOfRun(): Promise<readonly string[]> {
  const { serviceSecret } = JSON.parse(readFileSync(join(run.dataFolder, 'identity.json'), 'utf8'));
  const pool = createPool({ connectionString: run.connection.databaseURL, max: 1 });
  try {
    const sealer = await openSealer(
      pool,
      createFileKeyWrapper(await readFile(join(run.dataFolder, 'master.key')), 'data key'),
    );
    const grants = await pool.query('select id, sealed_grant from connections');
    const ingests = await pool.query('select stream_id, sealed_key from platform_ingests');
    return [
      `youtube ${serviceSecret}`,
      ...codes,
      ...grants.rows.flatMap(({ id, sealed_grant: sealed }) => {
        const { accessToken, refreshToken } = openGrant(sealer, id, sealed);
        return [accessToken, refreshToken!];
      }),
      ...ingests.rows.map(({ stream_id: id, sealed_key: sealed }) => sealer.open(sealed, ingestKeyPlace(id))),
    ];
  } finally {
    await pool.end();
  }
}

/** Every row of every table, as text. */
async function everyRow(): Promise<string> {
  const pool = createPool({ connectionString: run.connection.databaseURL, max: 1 });
  try {
    const tables = await pool.query(`select tablename from pg_tables where schemaname = 'public'`);
    const texts: string[] = [];
    for (const { tablename } of tables.rows) {
      const { rows } = await pool.query(`select t::text as row from "${tablename}" t`);
      texts.push(...rows.map(({ row }) => row));
    }
    return texts.join('\n');
  } finally {
    await pool.end();
  }
}

async function commandLines(): Promise<string> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = processes.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).join('\n');
}
