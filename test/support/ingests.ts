// Real RTMP ingests to publish to: nginx with its RTMP module, and ffmpeg's listen mode. Linux only.
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { RtmpTarget } from '../../lambda/publisher/rtmp/rtmp-client.ts';

export interface Ingest {
  readonly target: RtmpTarget;
  readonly pid: number;
  /** Resolves with the path of the FLV recording, when it is complete. */
  finish(): Promise<string>;
  /** Kills the ingest if it still runs. */
  [Symbol.dispose](): void;
}

const streamKey = 'test-key';
const startTimeoutMs = 10_000;

interface NginxOptions {
  readonly recordFolder: string;
  /** Whether it records received media. Default: true */
  readonly records?: boolean;
}

/** Starts nginx, which records into the folder. @returns null if nginx or its RTMP module is not installed */
export async function startNginxIngest({ recordFolder, records = true }: NginxOptions): Promise<Ingest | null> {
  const modulePath = await findRtmpModule();
  if (modulePath === null) return null;
  const port = await freePort();
  const configuration = join(recordFolder, 'nginx.conf');
  await writeFile(configuration, nginxConfiguration(port, recordFolder, modulePath, records));
  const nginx = spawn('nginx', ['-p', recordFolder, '-e', 'stderr', '-c', configuration], {
    env: nginxEnvironment(),
    stdio: 'inherit',
  });
  await untilListening(port, nginx);
  return {
    target: { url: `rtmp://127.0.0.1:${port}/live`, streamKey },
    pid: nginx.pid!,
    finish: async () => {
      nginx.kill('SIGQUIT');
      await untilExit(nginx);
      return join(recordFolder, `${streamKey}.flv`);
    },
    [Symbol.dispose]: () => void nginx.kill('SIGKILL'),
  };
}

/** Starts ffmpeg, which accepts one publisher and ends with it. */
export async function startFfmpegIngest(file: string, tools?: MediaTools): Promise<Ingest> {
  const { ffmpegPath } = tools ?? (await findMediaTools(process.env));
  const port = await freePort();
  const url = `rtmp://127.0.0.1:${port}/live`;
  const input = ['-listen', '1', '-f', 'flv', '-i', `${url}/${streamKey}`];
  const ffmpeg = spawn(ffmpegPath, ['-nostdin', '-v', 'fatal', '-y', ...input, '-c', 'copy', file], {
    stdio: 'inherit',
  });
  await untilListening(port, ffmpeg);
  return {
    target: { url, streamKey },
    pid: ffmpeg.pid!,
    finish: async () => {
      await untilExit(ffmpeg);
      return file;
    },
    [Symbol.dispose]: () => void ffmpeg.kill('SIGKILL'),
  };
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

function nginxConfiguration(port: number, recordFolder: string, modulePath: string, records: boolean): string {
  return `
    load_module ${modulePath};
    daemon off;
    master_process off;
    pid ${join(recordFolder, 'nginx.pid')};
    worker_rlimit_nofile 8192;
    events { worker_connections 4096; }
    rtmp { server {
      listen 127.0.0.1:${port};
      application live { live on; ${records ? `record all; record_path ${recordFolder};` : ''} }
    } }
  `;
}

/** The environment with the folders of system programs, which are missing from some users' PATH. */
function nginxEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
}

async function findRtmpModule(): Promise<string | null> {
  try {
    const { stderr } = await promisify(execFile)('nginx', ['-V'], { env: nginxEnvironment() });
    const folder = /--modules-path=(\S+)/.exec(stderr)?.[1] ?? '';
    const modulePath = join(folder, 'ngx_rtmp_module.so');
    await access(modulePath);
    return modulePath;
  } catch {
    return null;
  }
}

/** Waits until a child listens, by the kernel's table: ffmpeg would take a test connection as its publisher. */
export async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const listening = `:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`;
  for (let waitedMs = 0; waitedMs < startTimeoutMs && child.exitCode === null; waitedMs += 20) {
    const table = await readFile('/proc/net/tcp', 'utf8');
    if (table.includes(listening)) return;
    await delay(20);
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnfile} does not listen on port ${port}`);
}

async function untilExit(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
