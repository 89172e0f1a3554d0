// The first upload of the README works exactly as written.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startLocalRun, temporaryDataFolder, until, watchChannels } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';

it('the commands of the README put my-video.mp4 live on the built-in ingest', { timeout: 150_000 }, async () => {
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
  const script = /## Your first upload.*?```sh\n(.*?)```/s.exec(readme)![1]!;
  expect(script.match(/^.*\b(?:curl|call)\b.*\$(?:API|PUT|"\$PUT).*$|curl.*\$PUT.*$/gm)).toHaveLength(6);

  const data = await temporaryDataFolder();
  const folder = await mkdtemp(join(tmpdir(), 'readme-'));
  const run = await startLocalRun(data.path, '--no-demo');
  try {
    await symlink(data.path, join(folder, '.local'));
    await copyFile(await mediaSample('plain.mp4'), join(folder, 'my-video.mp4'));
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder });
    const { data: streams } = await run.api('GET', '/streams');
    await until(async () => (await run.api('GET', `/streams/${streams[0].id}`)).state === 'active');
    expect(await watchChannels(run)).toMatchObject([{ live: true }]);
  } finally {
    expect(await run.interrupt()).toBe(0);
    await data.remove();
    await rm(folder, { recursive: true });
  }
});
