// The first upload of the README works exactly as written.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startLocalRun, temporaryDataFolder, watchChannels } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';

const root = join(import.meta.dirname, '../..');

it(
  'the commands of the README put the files of a folder live on the built-in ingest',
  { timeout: 150_000 },
  async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const script = /## Your first upload.*?```sh\n(.*?)```/s.exec(readme)![1]!;
    expect(script.match(/^loop .*$/gm)).toHaveLength(2);

    const data = await temporaryDataFolder();
    const folder = await mkdtemp(join(tmpdir(), 'readme-'));
    const run = await startLocalRun(data.path, '--no-demo');
    try {
      // A clone with the data of this run.
      for (const name of ['package.json', 'bin', 'node_modules']) await symlink(join(root, name), join(folder, name));
      await symlink(data.path, join(folder, '.local'));
      await mkdir(join(folder, 'my-files'));
      await copyFile(await mediaSample('plain.mp4'), join(folder, 'my-files/my-video.mp4'));
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
        cwd: folder,
        env: {
          ...process.env,
          LOOP_API_URL: undefined,
          LOOP_API_KEY: undefined,
          XDG_CONFIG_HOME: join(folder, 'config'),
          XDG_STATE_HOME: join(folder, 'state'),
          npm_config_cache: join(folder, 'cache'),
        },
      });
      expect(stdout).toContain('my-files is live');
      expect(await watchChannels(run)).toMatchObject([{ live: true }]);
    } finally {
      expect(await run.interrupt()).toBe(0);
      await data.remove();
      await rm(folder, { recursive: true });
    }
  },
);
