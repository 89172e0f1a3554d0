// Reads the use of this machine's GPU with NVIDIA's own program.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export interface GpuFigures {
  /** Percent of the last second in which it encoded. */
  readonly encoderPercent: number;
  /** Percent of the last second in which it decoded. */
  readonly decoderPercent: number;
  /** Percent of its memory. */
  readonly memoryPercent: number;
  /** The number of open encoders. */
  readonly sessions: number;
}

/** Names from `nvidia-smi --help-query-gpu`. The container's runtime adds the program together with the driver. */
const asked = 'utilization.encoder,utilization.decoder,memory.used,memory.total,encoder.stats.sessionCount';
const answerWithinMs = 5000;

/**
 * @param program the path of `nvidia-smi`
 * @returns null if the program lacks one of the figures
 * @throws if there is no such program, or it does not answer in time
 */
export async function readGpuFigures(program = 'nvidia-smi'): Promise<GpuFigures | null> {
  const args = [`--query-gpu=${asked}`, '--format=csv,noheader,nounits'];
  const { stdout } = await promisify(execFile)(program, args, { timeout: answerWithinMs, killSignal: 'SIGKILL' });
  const [encoderPercent = NaN, decoderPercent = NaN, used = NaN, total = NaN, sessions = NaN] = stdout
    .split('\n')[0]!
    .split(',')
    .map((text) => (text.trim() === '' ? NaN : Number(text)));
  const figures = { encoderPercent, decoderPercent, memoryPercent: (100 * used) / total, sessions };
  return Object.values(figures).every(Number.isFinite) ? figures : null;
}
