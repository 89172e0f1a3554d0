// The cost of a stream: prepared media in one process, compared with one copying ffmpeg each, and with bare sockets.
import { execFile, fork, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { PictureFormat } from '../../lambda/domain/playout/rendition.ts';
import { audioFormat, profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { phaseCount, turnEveryMs } from '../../lambda/publisher/prepared/send-schedule.ts';
import { makeCertificate } from '../support/certificates.ts';
import { prepareClips } from './clips.ts';
import type { Clips } from './clips.ts';
import type { IngestPorts } from './discarding-ingest.ts';
import type { Consumption, PublishingOptions } from './publishing-process.ts';

interface Round {
  readonly name: string;
  readonly format: PictureFormat;
  readonly isSecure: boolean;
  readonly streams: readonly number[];
  readonly ffmpegStreams: number;
  /** The seconds of each clip, none a whole number of AAC frames. */
  readonly durations: readonly number[];
}

const hd = {
  format: { quality: 'q_1080p', framerate: 'f_30', videoCodec: 'h264' },
  ffmpegStreams: 20,
  durations: [10.1, 12.5],
} as const;
const rounds: readonly Round[] = [
  {
    ...hd,
    name: '1080p30',
    isSecure: false,
    streams: (process.env['STREAMS'] ?? '1,20,100,300,1000').split(',').map(Number),
  },
  { ...hd, name: '1080p30 over TLS', isSecure: true, streams: [20, 100] },
  {
    name: '2160p60',
    format: { quality: 'q_2160p', framerate: 'f_60', videoCodec: 'h264' },
    isSecure: false,
    streams: [5, 50],
    ffmpegStreams: 5,
    durations: [4.1, 5.3],
  },
];
export const warmUpSeconds = 8;
export const seconds = 20;

export async function publishersBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-publishers-'));
  const ingest = fork(join(import.meta.dirname, 'discarding-ingest.ts'));
  try {
    const certificate = await makeCertificate('IP:127.0.0.1');
    ingest.send(certificate ?? {});
    const [ports] = (await once(ingest, 'message')) as [IngestPorts];
    const writeLoop = await compileWriteLoop(folder);
    if (!writeLoop) console.log('no gcc here: without the loop of write() in C');
    for (const round of process.env['STREAMS'] ? rounds.slice(0, 1) : rounds) {
      if (round.isSecure && !certificate) console.log(`no openssl here: without ${round.name}`);
      else await runRound(round, join(folder, round.name), ports, round.isSecure ? certificate!.cert : null, writeLoop);
    }
  } finally {
    ingest.disconnect();
    await rm(folder, { recursive: true });
  }
}

async function runRound(
  round: Round,
  folder: string,
  ports: IngestPorts,
  tlsCa: string | null,
  writeLoop: string | null,
): Promise<void> {
  const { name, format, isSecure, durations, ffmpegStreams } = round;
  const { videoBitrateKbps, framesPerSecond } = profileOf(format);
  const bytesPerSecond = ((videoBitrateKbps + audioFormat.bitrateKbps) * 1000) / 8;
  console.log(`${name} at ${videoBitrateKbps} kbit/s over loopback, ${seconds} s each, percent of one core`);
  await mkdir(folder);
  const clips = await prepareClips(folder, format, durations);
  const rtmpURL = isSecure ? `rtmps://127.0.0.1:${ports.rtmps}/live` : `rtmp://127.0.0.1:${ports.rtmp}/live`;
  const peer = await measureFfmpeg(clips, ffmpegStreams, rtmpURL);
  print(`ffmpeg -c copy, ${ffmpegStreams} processes`, ffmpegStreams, peer);
  for (const streams of round.streams) {
    const common = {
      streams,
      begin: 'in turn',
      warmUpSeconds,
      seconds,
      folder,
      items: clips.items,
      format,
      bytesPerSecond,
      tlsCa,
    } as const;
    const plain = await measure({ ...common, kind: 'socket', port: isSecure ? ports.tls : ports.tcp });
    const ours = await measure({ ...common, kind: 'prepared', port: isSecure ? ports.rtmps : ports.rtmp });
    print(`raw Node sockets, ${streams}`, streams, plain);
    print(`prepared media, ${streams} streams`, streams, ours);
    const ratios = [
      `${(peer.cpuPercent / ffmpegStreams / (ours.cpuPercent / streams)).toFixed(1)} times less CPU than ffmpeg`,
      `${(ours.cpuPercent / plain.cpuPercent).toFixed(2)} times raw sockets`,
    ];
    if (writeLoop && !isSecure) {
      const rate = [Math.round(bytesPerSecond), turnEveryMs, phaseCount];
      const bare = await runWriteLoop(writeLoop, [ports.tcp, streams, ...rate, warmUpSeconds, seconds]);
      console.log(`  ${`write() in C, ${streams}`.padEnd(34)} ${bare.toFixed(2).padStart(6)} %`);
      ratios.push(`${(ours.cpuPercent / bare).toFixed(2)} times write() in C`);
    }
    const due = streams * seconds * framesPerSecond;
    const sent = `${((100 * ours.framesSent) / due).toFixed(1)} % of the frames due sent`;
    console.log(`    ${ratios.join(', ')}; ${sent}, ${ours.droppedFrames} dropped`);
  }
}

/** Publishes from a separate process, and measures it. */
export async function measure(options: PublishingOptions): Promise<Consumption> {
  const child = fork(join(import.meta.dirname, 'publishing-process.ts'));
  child.send(options);
  const exited = once(child, 'exit') as Promise<[number]>;
  const consumed = once(child, 'message') as Promise<[Consumption]>;
  const [consumption] = await Promise.race([
    consumed,
    exited.then(([code]) => Promise.reject(new Error(`the publishing process ended with ${code}`))),
  ]);
  child.disconnect();
  await exited;
  return consumption;
}

function measureFfmpeg(clips: Clips, streams: number, rtmpURL: string): Promise<Consumption> {
  const outputs = Array.from({ length: streams }, (_, index) => ['-f', 'flv', `${rtmpURL}/peer${index}`]);
  return measureCopies(clips, outputs);
}

/** Cost of ffmpeg processes that copy clips endlessly. @param outputs the arguments for the output of each process */
export async function measureCopies(
  { listPath }: Clips,
  outputs: readonly (readonly string[])[],
): Promise<Consumption> {
  const { ffmpegPath } = await findMediaTools(process.env);
  const input = ['-nostdin', '-v', 'fatal', '-re', '-stream_loop', '-1', '-f', 'concat', '-safe', '0', '-i', listPath];
  const children = outputs.map((output) => spawn(ffmpegPath, [...input, '-c', 'copy', ...output], { stdio: 'ignore' }));
  try {
    await setTimeout(warmUpSeconds * 1000);
    const before = await Promise.all(children.map(cpuNanoseconds));
    await setTimeout(seconds * 1000);
    const after = await Promise.all(children.map(cpuNanoseconds));
    const memory = await Promise.all(children.map(pssMiBOf));
    const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
    return {
      cpuPercent: (total(after) - total(before)) / 1e7 / seconds,
      pssMiB: total(memory),
      framesSent: 0,
      droppedFrames: 0,
      withTelemetry: [],
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** @returns the path of the program, or null if there is no compiler */
async function compileWriteLoop(folder: string): Promise<string | null> {
  const program = join(folder, 'write-loop');
  try {
    await promisify(execFile)('gcc', ['-O2', '-o', program, join(import.meta.dirname, 'write-loop.c')]);
    return program;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** @returns the program's use in percent of a core */
async function runWriteLoop(program: string, args: readonly number[]): Promise<number> {
  return Number((await promisify(execFile)(program, args.map(String))).stdout);
}

/** The share of a process in the memory of this machine (Linux, proc_pid_smaps). */
async function pssMiBOf({ pid }: ChildProcess): Promise<number> {
  const memory = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(memory)![1]) / 1024;
}

/** The CPU time of all threads of a process (Linux, proc_pid_schedstat). */
async function cpuNanoseconds({ pid }: ChildProcess): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const timeOf = async (task: string) => {
    const fields = await readFile(`/proc/${pid}/task/${task}/schedstat`, 'utf8');
    return Number(fields.split(' ')[0]);
  };
  const times = await Promise.all(tasks.map(timeOf));
  return times.reduce((sum, time) => sum + time, 0);
}

export function print(name: string, streams: number, { cpuPercent, pssMiB }: Consumption): void {
  const perStream = `${(cpuPercent / streams).toFixed(4)} % and ${(pssMiB / streams).toFixed(2)} MiB a stream`;
  console.log(
    `  ${name.padEnd(34)} ${cpuPercent.toFixed(2).padStart(6)} %  ${pssMiB.toFixed(0).padStart(5)} MiB   ${perStream}`,
  );
}
