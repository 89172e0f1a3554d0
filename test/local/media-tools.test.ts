// Finding ffmpeg and ffprobe: the right ones are taken, insufficient ones are passed over, and the error says what to do.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'media-tools-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function writeScript(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

test('finds tools on this machine that run', async () => {
  const { ffmpegPath, ffprobePath } = await findMediaTools(process.env);
  expect(execFileSync(ffmpegPath, ['-version'], { encoding: 'utf8' })).toMatch(/^ffmpeg version/);
  expect(execFileSync(ffprobePath, ['-version'], { encoding: 'utf8' })).toMatch(/^ffprobe version/);
});

test.runIf(process.platform === 'linux' && process.arch === 'x64')(
  'takes the npm packages when PATH has none',
  async () => {
    const { ffmpegPath, ffprobePath } = await findMediaTools({ PATH: folder });
    expect(ffmpegPath).toContain('@ffmpeg-binary');
    expect(ffprobePath).toContain('@ffprobe-installer');
  },
);

test('takes the one that a variable names', async () => {
  const found = await findMediaTools(process.env);
  const chosen = await writeScript('my-ffmpeg', `exec ${found.ffmpegPath} "$@"`);
  expect((await findMediaTools({ ...process.env, FFMPEG_PATH: chosen })).ffmpegPath).toBe(chosen);
  await expect(findMediaTools({ ...process.env, FFMPEG_PATH: join(folder, 'missing') })).rejects.toThrow(
    /missing \(FFMPEG_PATH\) is not an executable file(.|\n)*apt install ffmpeg/,
  );
});

describe('an ffmpeg that lacks something', () => {
  test('is passed over for a later one', async () => {
    const { ffmpegPath } = await findMediaTools(process.env);
    await writeScript('ffmpeg', `${ffmpegPath} "$@" | sed 's/libx264//g'`);
    expect((await findMediaTools({ ...process.env, PATH: `${folder}:${process.env.PATH}` })).ffmpegPath).toBe(
      ffmpegPath,
    );
  });

  test.each([
    ['s/libx264//g', 'lacks the encoder libx264'],
    ['/ flv /d; / hevc /d', 'lacks the decoder hevc, the muxer flv'],
  ])('is named with what it lacks (%s)', async (edit, lack) => {
    const { ffmpegPath } = await findMediaTools(process.env);
    const poor = await writeScript('ffmpeg', `${ffmpegPath} "$@" | sed '${edit}'`);
    await expect(findMediaTools({ ...process.env, FFMPEG_PATH: poor })).rejects.toThrow(`${poor} ${lack}\nInstall it`);
  });

  test('or does not run here is told so', async () => {
    const broken = await writeScript('ffmpeg', 'exit 127');
    await expect(findMediaTools({ ...process.env, FFMPEG_PATH: broken })).rejects.toThrow(
      `${broken} lacks the ability to run`,
    );
  });
});

test.runIf(existsSync('/usr/bin/ffmpeg'))('accepts the distribution’s build', async () => {
  expect(await findMediaTools({ PATH: '/usr/bin' })).toEqual({
    ffmpegPath: '/usr/bin/ffmpeg',
    ffprobePath: '/usr/bin/ffprobe',
  });
});
