// An agent's figures of its GPU, from a stub of NVIDIA's program, because no machine of ours has one.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readGpuFigures } from '../../../lambda/publisher/media/gpu-figures.ts';
import { writeShellProgram } from '../../support/shell-program.ts';

/** @param answer output for a request of the figures in the format of the manual */
async function stub(answer: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nvidia-smi-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return writeShellProgram(
    join(folder, 'nvidia-smi'),
    `case "$*" in
  *--query-gpu=utilization.encoder,utilization.decoder,memory.used,memory.total,encoder.stats.sessionCount*) ;;
  *) exit 2 ;;
esac
[ "$2" = "--format=csv,noheader,nounits" ] || exit 2
echo '${answer}'`,
  );
}

test('encoder, decoder and memory in percent, and encoders that are open', async () => {
  expect(await readGpuFigures(await stub('37, 12, 3840, 15360, 9'))).toEqual({
    encoderPercent: 37,
    decoderPercent: 12,
    memoryPercent: 25,
    sessions: 9,
  });
});

test.each(['[N/A], 12, 3840, 15360, 9', '37, 12, [Not Supported], 15360, 9', '37, 12', ''])(
  'nothing where it answers “%s”',
  async (answer) => {
    expect(await readGpuFigures(await stub(answer))).toBeNull();
  },
);

test('a failure where there is no such program', async () => {
  await expect(readGpuFigures(join(tmpdir(), 'no-such-program'))).rejects.toThrow('ENOENT');
});
