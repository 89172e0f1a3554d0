// The command line of `loop`: folders, exit codes, secrets, completion.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { completionOf, createProgram } from '../../bin/loop/command-line.ts';
import { readMediaFolder, sortTracks } from '../../bin/loop/send-files.ts';
import { runLoop } from '../support/loop-command.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'loop-'));
});
afterAll(() => rm(home, { recursive: true }));

it('sorts the files of a folder as the page does, by name as people count', async () => {
  const folder = join(home, 'files');
  await mkdir(join(folder, 'more'), { recursive: true });
  const names = ['10 b.mp3', '2 a.mp3', 'cover.PNG', 'loop.mp4', 'notes.txt', '.hidden.mp4', 'more/c.flac'];
  for (const name of names) await writeFile(join(folder, name), 'x');
  const files = await readMediaFolder(folder);
  const { video, audio } = sortTracks(files, ({ mimeType }) => mimeType);
  expect(video.map(({ name }) => name)).toEqual(['cover.PNG', 'loop.mp4']);
  expect(audio.map(({ name }) => name)).toEqual(['2 a.mp3', '10 b.mp3', 'c.flac']);
  await expect(readMediaFolder(join(home, 'nowhere'))).rejects.toMatchObject({ kind: 'not_found' });
  await mkdir(join(home, 'empty'));
  await expect(readMediaFolder(join(home, 'empty'))).rejects.toMatchObject({ kind: 'usage' });
});

it('ends with a code that scripts can use', { timeout: 30_000 }, async () => {
  const away = { LOOP_API_URL: 'http://127.0.0.1:9/v1' };
  const runs = await Promise.all([
    runLoop(['--help'], { home }),
    runLoop(['status', '--nonsense'], { home }),
    runLoop(['timeline', '--limit', 'many'], { home }),
    runLoop(['status', '--json'], { home, environment: away }),
    runLoop(['up', 'nowhere'], { home, environment: { ...away, LOOP_API_KEY: 'lss_secret' } }),
  ]);
  expect(runs.map(({ code }) => code)).toEqual([0, 2, 2, 4, 3]);
  expect(runs.every(({ code, stdout }) => code === 0 || stdout === '')).toBe(true);
  expect(JSON.parse(runs[3].stderr)).toMatchObject({ error: 'not_signed_in', exitCode: 4 });
  expect(runs[4].stderr).not.toContain('lss_secret');
});

it('takes no secret as an argument', () => {
  const options = createProgram({}).commands.flatMap(({ options }) => options.map(({ flags }) => flags));
  const secretive = options.filter((flags) => /key|secret|token|password/.test(flags));
  expect([...new Set(secretive)]).toEqual(['--with-key', '--stream-key-file <file>', '--renew-secrets']);
});

it('completes commands and their options in bash', () => {
  const script = completionOf(createProgram({}), 'bash');
  const ask = (...words: readonly string[]) =>
    spawnSync(
      'bash',
      ['-c', `${script}\nCOMP_WORDS=(loop "$@"); COMP_CWORD=$#; _loop; echo "\${COMPREPLY[*]}"`, '_', ...words],
      { encoding: 'utf8' },
    ).stdout.trim();
  expect(ask('sta')).toBe('start status');
  expect(ask('prove', '--d')).toBe('--day');
});
