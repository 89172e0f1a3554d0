// Measures this machine's capacity for streams: cores and their speed, memory, network, GPU.
import { execFile } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';
import { promisify } from 'node:util';
import type { Machine } from '../../domain/fleet/capacity.ts';
import type { Log } from '../../log.ts';
import type { EncoderSettings } from '../ffmpeg/encoder-arguments.ts';
import type { MediaTools } from './media-tools.ts';

export interface MeasureOptions extends Pick<Machine, 'networkMbps' | 'gpuMegapixels'> {
  readonly tools: MediaTools;
  /** The machine's encoder. A software encoder means that there is no GPU. */
  readonly encoder: EncoderSettings;
  readonly log: Log;
}

const trialSeconds = 1;
const trialTimeoutMs = 20_000;
/** CPU seconds of the trial on the machine on which costs were measured (domain/fleet/capacity.ts). */
const referenceCpuSeconds = 0.31;
/** Limits of the measured speed: a busy machine can look slower or faster than it is. */
const speeds = { least: 0.4, most: 3 } as const;

export async function measureMachine(options: MeasureOptions): Promise<Machine> {
  const { tools, encoder, networkMbps, gpuMegapixels, log } = options;
  const machine: Machine = {
    cores: availableParallelism(),
    speed: await speedOf(tools).catch((error: unknown) => {
      log('machine_not_measured', { error: String(error) });
      return 1;
    }),
    memoryMiB: Math.floor(memoryBytes() / 1024 ** 2),
    networkMbps,
    gpuMegapixels: encoder.codec === 'libx264' ? 0 : gpuMegapixels,
  };
  log('machine_measured', { ...machine });
  return machine;
}

/** The memory of the container if it has a limit, else of the machine. */
function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/**
 * The machine's speed, relative to the reference machine. It is measured by ffmpeg's user time, which other load does
 * not change. System time proves nothing: on an idle virtual machine, waking threads took 0.01 to 0.19 s of one trial.
 */
async function speedOf({ ffmpegPath }: MediaTools): Promise<number> {
  const source = ['-f', 'lavfi', '-i', `testsrc2=s=1280x720:r=30:d=${trialSeconds}`];
  const encode = ['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '4M', '-threads', '1'];
  const args = ['-nostdin', '-hide_banner', '-benchmark', ...source, ...encode, '-f', 'null', '-'];
  const { stderr } = await promisify(execFile)(ffmpegPath, args, { timeout: trialTimeoutMs, killSignal: 'SIGKILL' });
  const time = /bench: utime=([\d.]+)s/.exec(stderr);
  if (!time) throw new Error('ffmpeg did not report its user time');
  return Math.min(speeds.most, Math.max(speeds.least, referenceCpuSeconds / Number(time[1])));
}
