// What a stream costs: prepared media in one process, against ffmpeg -c copy per stream, and against bare sockets that send as much.
import { execFile, fork, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { frameCountOf } from '../../lambda/domain/play-out.ts';
import type { TimelineItem } from '../../lambda/domain/play-out.ts';
import { renditionOf, segmentCount } from '../../lambda/domain/rendition.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { audioFormat, profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { prepareSegment } from '../../lambda/publisher/prepared/prepare-segment.ts';
import { segmentKey } from '../../lambda/publisher/prepared/segment-format.ts';
import type { Consumption, PublishingOptions } from './publishing-process.ts';

const counts = (process.env['STREAMS'] ?? '1,20,100,300').split(',').map(Number);
const ffmpegStreams = 20;
const seconds = 15;
const format = { quality: 'q_1080p', framerate: 'f_30' } as const;
/** Neither fits the grid of AAC frames. */
const durations = [10.1, 12.5];

export async function publishersBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-publishers-'));
  const ingest = fork(join(import.meta.dirname, 'discarding-ingest.ts'));
  try {
    const [ports] = (await once(ingest, 'message')) as [{ rtmpPort: number; tcpPort: number }];
    const { items, copyPath } = await prepareClips(folder);
    const { videoBitrateKbps, framesPerSecond } = profileOf(format.quality, format.framerate);
    const bytesPerSecond = ((videoBitrateKbps + audioFormat.bitrateKbps) * 1000) / 8;
    console.log(`1080p30 at ${videoBitrateKbps} kbit/s over loopback, ${seconds} s each, percent of one core`);
    const peer = await measureFfmpeg(copyPath, `rtmp://127.0.0.1:${ports.rtmpPort}/live`);
    print(`ffmpeg -c copy, ${ffmpegStreams} processes`, ffmpegStreams, peer);
    for (const streams of counts) {
      const common = { streams, seconds, folder, items, format, bytesPerSecond };
      const plain = await measure({ ...common, kind: 'socket', port: ports.tcpPort });
      const ours = await measure({ ...common, kind: 'prepared', port: ports.rtmpPort });
      print(`raw Node sockets, ${streams}`, streams, plain);
      print(`prepared media, ${streams} streams`, streams, ours);
      const perStream = (cpuPercent: number, count: number) => cpuPercent / count;
      const ratio = perStream(peer.cpuPercent, ffmpegStreams) / perStream(ours.cpuPercent, streams);
      console.log(`    ${ratio.toFixed(1)} times less CPU than ffmpeg; ${(ours.cpuPercent / plain.cpuPercent).toFixed(2)} times raw sockets`);
      const due = streams * seconds * framesPerSecond;
      console.log(`    frames sent ${((100 * ours.framesSent) / due).toFixed(1)} % of those due, dropped ${ours.droppedFrames}`);
    }
  } finally {
    ingest.disconnect();
    await rm(folder, { recursive: true });
  }
}

/** Renditions as the platform makes them, and one of the clips as a file that ffmpeg copies. */
async function prepareClips(folder: string): Promise<{ items: TimelineItem[]; copyPath: string }> {
  const tools = await findMediaTools(process.env);
  const run = promisify(execFile);
  const objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'bench' });
  const items: TimelineItem[] = [];
  for (const [index, durationSeconds] of durations.entries()) {
    const path = join(folder, `clip${index}.mp4`);
    const source = ['-f', 'lavfi', '-i', `testsrc2=s=1920x1080:r=30:d=${durationSeconds}`, '-f', 'lavfi', '-i', `sine=r=48000:d=${durationSeconds}`];
    await run(tools.ffmpegPath, ['-nostdin', '-v', 'error', ...source, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', path]);
    const item: TimelineItem = { itemID: `item${index}`, uploadID: `clip${index}`, objectKey: path, kind: 'video', durationSeconds, hasAudio: true };
    const rendition = renditionOf(item.uploadID, item, format);
    for (let segment = 0; segment < segmentCount(rendition); segment++) {
      const request = { rendition, segment, sourceURL: path, kind: 'video', hasAudio: true, encoder: { codec: 'libx264', preset: 'ultrafast' } } as const;
      const bytes = await prepareSegment(tools, request, new AbortController().signal);
      await objects.write(segmentKey(rendition, segment), bytes, { contentType: 'application/octet-stream' });
    }
    items.push(item);
  }
  const copyPath = join(folder, 'copy.mp4');
  const { videoBitrateKbps, gopFrames } = profileOf(format.quality, format.framerate);
  const rate = `${videoBitrateKbps}k`;
  const frames = String(frameCountOf({ durationSeconds: durations[0]! }, 30));
  await run(tools.ffmpegPath, [
    '-nostdin', '-v', 'error', '-i', join(folder, 'clip0.mp4'), '-frames:v', frames, '-c:v', 'libx264', '-preset', 'ultrafast', '-g', String(gopFrames),
    '-b:v', rate, '-minrate', rate, '-maxrate', rate, '-bufsize', rate, '-x264-params', 'nal-hrd=cbr', '-c:a', 'copy', copyPath,
  ]);
  return { items, copyPath };
}

async function measure(options: PublishingOptions): Promise<Consumption> {
  const child = fork(join(import.meta.dirname, 'publishing-process.ts'));
  child.send(options);
  const [consumption] = (await once(child, 'message')) as [Consumption];
  child.disconnect();
  await once(child, 'exit');
  return consumption;
}

async function measureFfmpeg(path: string, rtmpURL: string): Promise<Consumption> {
  const { ffmpegPath } = await findMediaTools(process.env);
  const list = `${path}.txt`;
  await writeFile(list, `file '${path}'\n`);
  const input = ['-nostdin', '-v', 'fatal', '-re', '-stream_loop', '-1', '-f', 'concat', '-safe', '0', '-i', list];
  const children = Array.from({ length: ffmpegStreams }, (_, index) => spawn(ffmpegPath, [...input, '-c', 'copy', '-f', 'flv', `${rtmpURL}/peer${index}`], { stdio: 'ignore' }));
  try {
    await setTimeout(5000);
    const before = await Promise.all(children.map(cpuNanoseconds));
    await setTimeout(seconds * 1000);
    const after = await Promise.all(children.map(cpuNanoseconds));
    const memory = await Promise.all(children.map(async ({ pid }) => Number(/^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'))![1]) / 1024));
    const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
    return { cpuPercent: (total(after) - total(before)) / 1e7 / seconds, pssMiB: total(memory), framesSent: 0, droppedFrames: 0 };
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** Time on a CPU, of all threads (Linux, proc_pid_schedstat). */
async function cpuNanoseconds({ pid }: ChildProcess): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(tasks.map(async (task) => Number((await readFile(`/proc/${pid}/task/${task}/schedstat`, 'utf8')).split(' ')[0])));
  return times.reduce((sum, time) => sum + time, 0);
}

function print(name: string, streams: number, { cpuPercent, pssMiB }: Consumption): void {
  const perStream = `${(cpuPercent / streams).toFixed(4)} % and ${(pssMiB / streams).toFixed(2)} MiB a stream`;
  console.log(`  ${name.padEnd(34)} ${cpuPercent.toFixed(2).padStart(6)} %  ${pssMiB.toFixed(0).padStart(5)} MiB   ${perStream}`);
}
