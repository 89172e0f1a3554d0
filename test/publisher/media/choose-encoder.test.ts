// An agent chooses an encoder that works, not one that ffmpeg only lists. Stubs simulate machines with a GPU.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Log } from '../../../lambda/log.ts';
import { ToolError } from '../../../lambda/publisher/ffmpeg/media-tool.ts';
import { chooseEncoder, encoderChoice } from '../../../lambda/publisher/media/choose-encoder.ts';
import { everyMediaTools } from '../../support/media-samples.ts';
import { writeShellProgram } from '../../support/shell-program.ts';

const builds = await everyMediaTools();
const nvenc = { codec: 'h264_nvenc' };
const x264 = { codec: 'libx264', preset: 'veryfast' };

/** Chooses an encoder of H.264 among those of an ffmpeg. @returns the encoder, and the log lines */
async function choose(ffmpegPath: string, timeoutMs?: number) {
  const logged: Record<string, unknown>[] = [];
  const log: Log = (event, fields) => void logged.push({ event, ...fields });
  const encoder = await chooseEncoder({ ffmpegPath, ffprobePath: '' }, 'h264', log, timeoutMs);
  return { encoder, logged };
}

/** Writes a program that replaces ffmpeg. @returns its path */
async function stub(script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stub-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return writeShellProgram(join(folder, 'ffmpeg'), script);
}

describe('NVENC', () => {
  it('is taken where it encodes a picture', async () => {
    // The stub reads its input, as ffmpeg does, and requires all bytes of one picture.
    const path = await stub('case "$*" in *h264_nvenc*) test "$(wc -c)" -eq 1382400;; *) exit 1;; esac');
    expect(await choose(path)).toEqual({
      encoder: nvenc,
      logged: [{ event: 'encoder_chosen', encoder: 'h264_nvenc' }],
    });
  });

  it('is left where its driver is missing, and the log has the reason', async () => {
    const { encoder, logged } = await choose(await stub('echo "Cannot load libcuda.so.1" >&2; exit 1'));
    expect(encoder).toEqual(x264);
    expect(logged).toEqual([
      { event: 'encoder_chosen', encoder: 'libx264', insteadOf: ['h264_nvenc: Cannot load libcuda.so.1'] },
    ]);
  });

  it('is left where it does not answer', async () => {
    expect(await choose(await stub('exec sleep 60'), 200)).toMatchObject({
      encoder: x264,
      logged: [{ insteadOf: ['h264_nvenc: no answer'] }],
    });
  });

  it.each(builds)(
    'is tried with real arguments: libx264 takes a picture with the same ones ($name)',
    async ({ tools }) => {
      const { encoder, logged } = await choose(tools.ffmpegPath);
      if (encoder.codec === 'libx264')
        expect(logged).toMatchObject([{ insteadOf: [expect.stringMatching(/^h264_nvenc: .+/u)] }]);
      const withX264 = `sed 's/-c:v h264_nvenc/-c:v libx264/; s/-preset p4.*-forced-idr 1//'`;
      const asX264 = await stub(`exec ${tools.ffmpegPath} $(echo "$*" | ${withX264})`);
      expect((await choose(asX264)).encoder).toEqual(nvenc);
    },
  );
});

describe.each([
  ['hevc', 'hevc_nvenc', 'libx265'],
  ['av1', 'av1_nvenc', 'libsvtav1'],
] as const)('for %s', (videoCodec, onHardware, inSoftware) => {
  const quiet = () => {};

  it('the GPU is tried first, then software', async () => {
    const tools = (ffmpegPath: string) => ({ ffmpegPath, ffprobePath: '' });
    expect(await chooseEncoder(tools(await stub('cat > /dev/null')), videoCodec, quiet)).toEqual({ codec: onHardware });
    const withoutGPU = await stub(`case "$*" in *${inSoftware}*) test "$(wc -c)" -eq 1382400;; *) exit 1;; esac`);
    expect(await chooseEncoder(tools(withoutGPU), videoCodec, quiet)).toMatchObject({ codec: inSoftware });
  });

  it('an ffmpeg that was killed does not prove that there is no encoder', async () => {
    const killed = { ffmpegPath: await stub('kill -9 $$'), ffprobePath: '' };
    await expect(chooseEncoder(killed, videoCodec, quiet)).rejects.toBeInstanceOf(ToolError);
  });

  it('an ffmpeg that does not end is quoted with what it wrote', async () => {
    const hanging = { ffmpegPath: await stub('echo "not compatible with flv" >&2; exec sleep 60'), ffprobePath: '' };
    await expect(chooseEncoder(hanging, videoCodec, quiet, 1500)).rejects.toThrow(
      `${inSoftware}: not compatible with flv`,
    );
  });

  it('an ffmpeg without an encoder is named, with what to do', async () => {
    const path = await stub('echo "Unknown encoder" >&2; exit 1');
    const advice = 'FFMPEG_PATH can name another';
    const message = `${path} does not encode ${videoCodec} into FLV, as ffmpeg does from 6.1 on; ${advice}`;
    await expect(chooseEncoder({ ffmpegPath: path, ffprobePath: '' }, videoCodec, quiet)).rejects.toThrow(message);
  });
});

it('an encoder is looked for when it is first asked for, and again only after a failure', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tries-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const tries = join(folder, 'tries');
  const ffmpegPath = await stub(`cat > /dev/null; echo x >> ${tries}; test -e ${folder}/works`);
  const tools = { ffmpegPath, ffprobePath: '' };
  const known = { codec: 'libx264', preset: 'veryfast' } as const;
  const encoderOf = encoderChoice(tools, () => {}, known);
  expect(await encoderOf('h264')).toBe(known);
  await expect(encoderOf('hevc')).rejects.toThrow('does not encode hevc');
  await writeFile(join(folder, 'works'), '');
  const onHardware = { codec: 'hevc_nvenc' };
  expect(await Promise.all([encoderOf('hevc'), encoderOf('hevc')])).toEqual([onHardware, onHardware]);
  expect((await readFile(tries, 'utf8')).trim().split('\n')).toHaveLength(3);
});
