// The copy of the objects of a run: without those that are made again or kept for a day only.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyObjects } from '../../bin/recover/copy-objects.ts';

test('copies uploads and renditions, neither previews nor segments of contributors, and nothing twice', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'copy-objects-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  for (const key of ['uploads/a/1', 'renditions/b', 'previews/c/1.m4s', 'live/v1/lse_1/pictures/0']) {
    await mkdir(dirname(join(from, key)), { recursive: true });
    await writeFile(join(from, key), key);
  }
  expect(await copyObjects(from, to)).toBe(2);
  expect(await readFile(join(to, 'uploads/a/1'), 'utf8')).toBe('uploads/a/1');
  await expect(readFile(join(to, 'live/v1/lse_1/pictures/0'))).rejects.toThrow('ENOENT');
  expect(await copyObjects(from, to)).toBe(0);
});
