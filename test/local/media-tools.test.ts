// The search for ffmpeg and ffprobe: suitable ones are used, others are skipped, and the error names the remedy.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { writeShellProgram } from '../support/shell-program.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'media-tools-'));
});
afterEach(() => rm(folder, { recursive: true }));

function writeScript(name: string, script: string): string {
  return writeShellProgram(join(folder, name), script);
}

test('the tools that are found on this machine run', async () => {
  const { ffmpegPath, ffprobePath } = await findMediaTools(process.env);
  expect(execFileSync(ffmpegPath, ['-version'], { encoding: 'utf8' })).toMatch(/^ffmpeg version/);
  expect(execFileSync(ffprobePath, ['-version'], { encoding: 'utf8' })).toMatch(/^ffprobe version/);
});

test.runIf(process.platform === 'linux' && process.arch === 'x64')(
  'the npm packages are taken when PATH has no tools',
  async () => {
    const { ffmpegPath, ffprobePath } = await findMediaTools({ PATH: folder });
    expect(ffmpegPath).toContain('@ffmpeg-binary');
    expect(ffprobePath).toContain('@ffprobe-installer');
  },
);

test('the ffmpeg that a variable names is taken', async () => {
  const found = await findMediaTools(process.env);
  const chosen = writeScript('my-ffmpeg', `exec ${found.ffmpegPath} "$@"`);
  expect((await findMediaTools({ ...process.env, FFMPEG_PATH: chosen })).ffmpegPath).toBe(chosen);
  const missing = findMediaTools({ ...process.env, FFMPEG_PATH: join(folder, 'missing') });
  await expect(missing).rejects.toThrow(/missing \(FFMPEG_PATH\) is not an executable file(.|\n)*apt install ffmpeg/);
});

describe('an ffmpeg that lacks something', () => {
  test('is passed over for a later one', async () => {
    const { ffmpegPath } = await findMediaTools(process.env);
    writeScript('ffmpeg', `${ffmpegPath} "$@" | sed 's/libx264//g'`);
    const found = await findMediaTools({ ...process.env, PATH: `${folder}:${process.env.PATH}` });
    expect(found.ffmpegPath).toBe(ffmpegPath);
  });

  test.each([
    ['s/libx264//g', 'lacks the encoder libx264'],
    ['/ flv /d; / hevc /d', 'lacks the decoder hevc, the muxer flv'],
  ])('is named with what it lacks (%s)', async (edit, lack) => {
    const { ffmpegPath } = await findMediaTools(process.env);
    const poor = writeScript('ffmpeg', `${ffmpegPath} "$@" | sed '${edit}'`);
    await expect(findMediaTools({ ...process.env, FFMPEG_PATH: poor })).rejects.toThrow(`${poor} ${lack}\nInstall it`);
  });

  test('or does not run on this machine is named with that', async () => {
    const broken = writeScript('ffmpeg', 'exit 127');
    const finding = findMediaTools({ ...process.env, FFMPEG_PATH: broken });
    await expect(finding).rejects.toThrow(`${broken} lacks the ability to run`);
  });
});

test.runIf(existsSync('/usr/bin/ffmpeg'))('the build of the distribution is accepted', async () => {
  const expected = { ffmpegPath: '/usr/bin/ffmpeg', ffprobePath: '/usr/bin/ffprobe' };
  expect(await findMediaTools({ PATH: '/usr/bin' })).toEqual(expected);
});
