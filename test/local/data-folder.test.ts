// The data folder of a local run keeps persistent data, and a fresh start deletes only such a folder.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataFolder } from '../../bin/local/data-folder.ts';

let path: string;
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'data-folder-'));
});
afterEach(() => rm(path, { recursive: true, force: true }));

describe('a data folder', () => {
  it('keeps its secrets, which only its owner can read', async () => {
    const first = await (await DataFolder.open(path, { fresh: false })).identity();
    expect(await (await DataFolder.open(path, { fresh: false })).identity()).toEqual(first);
    expect((await stat(join(path, 'identity.json'))).mode & 0o077).toBe(0);
  });

  it('forgets the connection of a run that has ended', async () => {
    await writeFile(join(path, 'connection.json'), JSON.stringify({ pid: 2 ** 22 }));
    await DataFolder.open(path, { fresh: false });
    await expect(readFile(join(path, 'connection.json'))).rejects.toThrow('ENOENT');
  });

  it('begins anew when a fresh start is asked for', async () => {
    const first = await (await DataFolder.open(path, { fresh: false })).identity();
    expect(await (await DataFolder.open(path, { fresh: true })).identity()).not.toEqual(first);
  });

  it('is neither deleted nor filled when it belongs to something else', async () => {
    await writeFile(join(path, 'thesis.txt'), 'years of work');
    for (const fresh of [true, false])
      await expect(DataFolder.open(path, { fresh })).rejects.toThrow('is not the data folder of a local run');
    expect(await readdir(path)).toEqual(['thesis.txt']);
    expect(await readFile(join(path, 'thesis.txt'), 'utf8')).toBe('years of work');
  });

  it.each(['/proc/nothing/here', '/dev/null/x'])(
    'that cannot be made, like %s, is refused at once',
    async (nowhere) => {
      await expect(DataFolder.open(nowhere, { fresh: false })).rejects.toThrow('cannot be used as the data folder');
    },
  );

  it('says what to do when a file of it is damaged', async () => {
    await writeFile(join(path, 'identity.json'), '{');
    const folder = await DataFolder.open(path, { fresh: false });
    await expect(folder.identity()).rejects.toThrow('start with --fresh');
  });
});
