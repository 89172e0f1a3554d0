// An AI client that knows only the list of tools puts two files live; and the README's script works unchanged.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { LiteralAIClient } from '../support/literal-ai-client.ts';
import { until, watchChannels } from '../support/local-run.ts';
import { connectMcpClient } from '../support/mcp-clients.ts';
import { mediaSample } from '../support/media-samples.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const run = testLocalRun('--no-demo');

test('an AI client makes a live stream of two files', { timeout: 90_000 }, async () => {
  const { mcpURL, apiKey, rtmpURL } = run.connection;
  const client = await connectMcpClient('v2, negotiating', `${mcpURL}?toolsets=all`, {
    headers: { 'x-api-key': apiKey },
  });
  const literal = await LiteralAIClient.with(client);
  for (const name of ['plain.mp4', 'short-sound.mp4'] as const) {
    const path = await mediaSample(name);
    await literal.do('create upload', { name, mimeType: 'video/mp4', fileSize: (await stat(path)).size }, path);
  }
  await literal.do('create destination', { name: 'Here', rtmpURL, streamKey: 'agent' });
  const format = { quality: 'q_720p', framerate: 'f_30' };
  await literal.do('create stream', { name: 'Loop', ...format, kind: 'video', mode: 'sequential' });
  const stats = await literal.do('statistics');

  expect(stats).toMatchObject({ state: 'active' });
  const transcript = literal.transcript.map((line) =>
    line.replace(/"fileSize":\d+/, '"fileSize":…').replace(rtmpURL, 'rtmp://…'),
  );
  const additions = ['upl 1', 'upl 2'].map((uploadID) => ({ op: 'add', uploadID }));
  expect(transcript).toEqual([
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
    'create_playlist {"streamID":"str 1","name":"Loop","kind":"video","mode":"sequential"}',
    `apply_playlist_operations {"id":"ply 1","operations":${JSON.stringify(additions)}}`,
    'publish_playlist {"id":"ply 1"}',
    'get_playlist {"id":"ply 1"} until publishStatus is IDLE',
    'get_stream_readiness {"id":"str 1"}',
    'start_stream {"id":"str 1"}',
    'get_stream {"id":"str 1"} until state is active',
    'get_stream_stats {"id":"str 1"}',
  ]);
  // The stream really plays: after a lap both items have been sent.
  const [stream] = (await run.api('GET', '/streams')).data;
  await until(async () => (await run.api('GET', `/streams/${stream.id}/stats`)).loopCount >= 1);
  expect(await watchChannels(run)).toMatchObject([{ live: true }]);

  // The AI client has learned the names of tools only from the list.
  const mind = await readFile(join(import.meta.dirname, '../support/literal-ai-client.ts'), 'utf8');
  expect((await client.listTools()).filter(({ name }) => mind.includes(name))).toEqual([]);
  await client.close();
});

test('the script and the commands of the README work', { timeout: 30_000 }, async () => {
  const root = join(import.meta.dirname, '../..');
  const readme = await readFile(join(root, 'lambda/surfaces/mcp/README.md'), 'utf8');
  const section = readme.slice(readme.indexOf('## Connect a script'));
  const codeIn = (language: string) => section.match(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``))![1]!;
  const folder = await mkdtemp(join(tmpdir(), 'mcp-readme-'));
  try {
    await symlink(run.dataFolder, join(folder, '.local'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'live.mjs'), codeIn('js'));
    const { stdout: printed } = await promisify(execFile)(process.execPath, ['live.mjs'], { cwd: folder });
    expect(printed).toMatch(/^str_\w+ Loop: [a-z]+\n$/);
    const shell = ['-euo', 'pipefail', '-c', codeIn('sh')];
    const { stdout } = await promisify(execFile)('bash', shell, { cwd: folder });
    expect(JSON.parse(stdout).result.structuredContent.email).toBe(run.connection.user.email);
  } finally {
    await rm(folder, { recursive: true });
  }
});
