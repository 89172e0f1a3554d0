// Independent RTMP servers that relay a stream: node-media-server, and MediaMTX if MEDIAMTX_PATH names one.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { RtmpTarget } from '../../lambda/publisher/rtmp/rtmp-client.ts';
import { freePort, untilListening } from './ingests.ts';

export interface Relay extends Disposable {
  readonly target: RtmpTarget;
}

const streamKey = 'test-key';
const nodeMediaServer = 'node-media-server@4.4.3';

/** Functions that start each relay. The result is null, and a line is logged, if the relay is not installed. */
export const relays: Readonly<Record<string, (folder: string) => Promise<Relay | null>>> = {
  async 'node-media-server'(folder) {
    const installed = await installOnce().catch((error: unknown) => {
      console.warn(`skipped: ${nodeMediaServer} cannot be installed (${String(error).split('\n')[0]})`);
      return null;
    });
    if (installed === null) return null;
    const port = await freePort();
    const config = join(folder, 'node-media-server.json');
    const store = { path: join(folder, 'data') };
    await writeFile(config, JSON.stringify({ bind: '127.0.0.1', rtmp: { port }, store, auth: {}, notify: {} }));
    const program = join(installed, 'node_modules/node-media-server/bin/app.js');
    return startRelay(process.execPath, [program, '-c', config, '--no-admin'], port);
  },
  async MediaMTX(folder) {
    const path = process.env['MEDIAMTX_PATH'];
    if (path === undefined) {
      console.warn('skipped: set MEDIAMTX_PATH to a MediaMTX');
      return null;
    }
    const port = await freePort();
    const config = join(folder, 'mediamtx.yml');
    const others = ['rtsp', 'hls', 'webrtc', 'srt'].map((protocol) => `${protocol}: no\n`).join('');
    await writeFile(config, `rtmpAddress: 127.0.0.1:${port}\n${others}paths:\n  all_others:\n`);
    return startRelay(path, [config], port);
  },
};

/** Starts a viewer that records to a file until the relay ends. Resolves when the file has content. */
export async function watch(
  { ffmpegPath }: MediaTools,
  target: RtmpTarget,
  file: string,
): Promise<{ readonly ended: Promise<unknown> }> {
  const copy = ['-i', `${target.url}/${target.streamKey}`, '-c', 'copy', '-flush_packets', '1', file];
  const ffmpeg = spawn(ffmpegPath, ['-nostdin', '-v', 'fatal', '-y', ...copy], { stdio: 'inherit' });
  const ended = once(ffmpeg, 'exit');
  while (!(await stat(file).catch(() => null))?.size && ffmpeg.exitCode === null) await delay(20);
  return { ended };
}

async function startRelay(program: string, args: readonly string[], port: number): Promise<Relay> {
  const child = spawn(program, args, { stdio: 'ignore' });
  await untilListening(port, child);
  return {
    target: { url: `rtmp://127.0.0.1:${port}/live`, streamKey },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}

/** Installs node-media-server. Its folder gets its name when complete, and stays for later runs. */
async function installOnce(): Promise<string> {
  const folder = join(tmpdir(), nodeMediaServer.replace('@', '-'));
  if (!existsSync(folder)) {
    const unfinished = await mkdtemp(`${folder}-`);
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', ['install', '--prefix', unfinished, ...quietly, nodeMediaServer]);
    await rename(unfinished, folder).catch(() => rm(unfinished, { recursive: true }));
  }
  return folder;
}
