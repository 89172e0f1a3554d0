// Two files go live by an agent that has nothing but the list of tools and what a person told it; and the README's script and curl work as they are written.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LiteralAgent } from '../support/literal-agent.ts';
import { startLocalRun, temporaryDataFolder, until } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { connectMcpClient } from '../support/mcp-clients.ts';
import { mediaSample } from '../support/media-samples.ts';

let data: Awaited<ReturnType<typeof temporaryDataFolder>>;
let run: LocalRun;
beforeAll(async () => {
  data = await temporaryDataFolder();
  run = await startLocalRun(data.path, '--no-demo');
}, 90_000);
afterAll(async () => {
  expect(await run.interrupt()).toBe(0);
  await data.remove();
}, 30_000);

test('from two files to a live stream', { timeout: 90_000 }, async () => {
  const { mcpURL, apiKey, rtmpURL, siteURL } = run.connection;
  const client = await connectMcpClient('v2, negotiating', mcpURL, { headers: { 'x-api-key': apiKey } });
  const agent = await LiteralAgent.with(client);
  for (const name of ['plain.mp4', 'short-sound.mp4'] as const) {
    const path = await mediaSample(name);
    await agent.do('create upload', { name, mimeType: 'video/mp4', fileSize: (await stat(path)).size }, path);
  }
  await agent.do('create destination', { name: 'Here', rtmpURL, streamKey: 'agent' });
  await agent.do('create stream', {
    name: 'Loop',
    quality: 'q_720p',
    framerate: 'f_30',
    kind: 'video',
    mode: 'sequential',
  });
  const stats = await agent.do('statistics');

  expect(stats).toMatchObject({ state: 'active' });
  expect(
    agent.transcript.map((line) => line.replace(/"fileSize":\d+/, '"fileSize":…').replace(rtmpURL, 'rtmp://…')),
  ).toEqual([
    'create_upload {"name":"plain.mp4","mimeType":"video/mp4","fileSize":…}',
    'create_upload_url {"id":"upl 1"}',
    'PUT the bytes: 200',
    'complete_upload {"id":"upl 1"}',
    'get_upload {"id":"upl 1"} until probeState is completed',
    'create_upload {"name":"short-sound.mp4","mimeType":"video/mp4","fileSize":…}',
    'create_upload_url {"id":"upl 2"}',
    'PUT the bytes: 200',
    'complete_upload {"id":"upl 2"}',
    'get_upload {"id":"upl 2"} until probeState is completed',
    'create_destination {"name":"Here","rtmpURL":"rtmp://…","streamKey":"agent"}',
    'create_stream {"destinationID":"dst 1","name":"Loop","quality":"q_720p","framerate":"f_30"}',
    'create_playlist {"name":"Loop","kind":"video","mode":"sequential","streamID":"str 1"}',
    'apply_playlist_operations {"id":"ply 1","operations":[{"op":"add","uploadID":"upl 1"},{"op":"add","uploadID":"upl 2"}]}',
    'publish_playlist {"id":"ply 1"}',
    'get_playlist {"id":"ply 1"} until publishStatus is IDLE',
    'get_stream_readiness {"id":"str 1"}',
    'start_stream {"id":"str 1"}',
    'get_stream {"id":"str 1"} until state is active',
    'get_stream_stats {"id":"str 1"}',
  ]);
  // What it says is so: the second item comes as well as the first.
  const {
    data: [stream],
  } = await run.api('GET', '/streams');
  await until(async () => (await run.api('GET', `/streams/${stream.id}/stats`)).loopCount >= 1);
  const channels = await (await fetch(`${siteURL}/watch/channels`)).json();
  expect(channels).toEqual([expect.objectContaining({ live: true })]);

  // And nobody but the list has told it how.
  const mind = await readFile(join(import.meta.dirname, '../support/literal-agent.ts'), 'utf8');
  expect((await client.listTools()).filter(({ name }) => mind.includes(name))).toEqual([]);
  await client.close();
});

test('what the README says to paste', { timeout: 30_000 }, async () => {
  const root = join(import.meta.dirname, '../..');
  const readme = await readFile(join(root, 'lambda/mcp/README.md'), 'utf8');
  const [script = '', shell = ''] = ['js', 'sh'].map(
    (language) =>
      readme.slice(readme.indexOf('## Connect a script')).match(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``))![1],
  );
  const folder = await mkdtemp(join(tmpdir(), 'mcp-readme-'));
  try {
    await symlink(data.path, join(folder, '.local'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'live.mjs'), script);
    expect((await promisify(execFile)(process.execPath, ['live.mjs'], { cwd: folder })).stdout).toMatch(
      /^str_\w+ Loop: [a-z]+\n$/,
    );
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', shell], { cwd: folder });
    expect(JSON.parse(stdout).result.structuredContent.email).toBe(run.connection.user.email);
  } finally {
    await rm(folder, { recursive: true });
  }
});
