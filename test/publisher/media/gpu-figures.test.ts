// An agent's figures of its GPU, from a stub of NVIDIA's program, because no machine of ours has one.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readGpuFigures } from '../../../lambda/publisher/media/gpu-figures.ts';

/** @param answer output for a request of the figures in the format of the manual */
async function stub(answer: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nvidia-smi-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'nvidia-smi');
  await writeFile(
    path,
    `#!/bin/sh
case "$*" in
  *--query-gpu=utilization.encoder,utilization.decoder,memory.used,memory.total,encoder.stats.sessionCount*) ;;
  *) exit 2 ;;
esac
[ "$2" = "--format=csv,noheader,nounits" ] || exit 2
echo '${answer}'
`,
  );
  await chmod(path, 0o755);
  return path;
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
