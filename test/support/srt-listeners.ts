// SRT listeners on libsrt (ffmpeg's, and srt-live-transmit), and a connection to them that drops packets.
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { awaitListener } from '../../lambda/publisher/srt/call.ts';
import { everyMediaTools } from './media-samples.ts';

export interface SrtListener {
  readonly port: number;
  /** Resolves when the listener has ended, as it does after its first caller. */
  readonly ended: Promise<unknown>;
  [Symbol.dispose](): void;
}

export interface ListenerOptions {
  /** Path of the recording. */
  readonly file: string;
  readonly passphrase?: string;
  /** Port to listen on; undefined: any free port. */
  readonly port?: number;
}

/** @returns null if no ffmpeg with libsrt is installed */
export async function ffmpegListener(options: ListenerOptions): Promise<SrtListener | null> {
  const ffmpegPath = await ffmpegWithSrt();
  if (!ffmpegPath) return null;
  const output = ['-c', 'copy', '-f', 'mpegts', options.file];
  return listening(options, (url) => spawn(ffmpegPath, ['-y', '-v', 'error', '-i', url, ...output]));
}

/** @returns null if srt-live-transmit is not installed */
export async function srtLiveTransmit(options: ListenerOptions): Promise<SrtListener | null> {
  // It rejects with an error if the program is missing.
  const isInstalled = await promisify(execFile)('srt-live-transmit', ['-version']).then(
    () => true,
    ({ code }) => code !== 'ENOENT',
  );
  if (!isInstalled) return null;
  return listening(options, (url) => {
    const child = spawn('srt-live-transmit', ['-q', '-a:no', url, 'file://con']);
    child.stdout.pipe(createWriteStream(options.file));
    return child;
  });
}

function urlOf(port: number, { passphrase }: ListenerOptions): string {
  return `srt://127.0.0.1:${port}?mode=listener${passphrase === undefined ? '' : `&passphrase=${passphrase}`}`;
}

/** Starts a listener, and retries while its port is taken, by its previous user or by another process. */
async function listening(options: ListenerOptions, start: (url: string) => ChildProcess): Promise<SrtListener> {
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freeUdpPort());
    const child = start(urlOf(port, options));
    let said = '';
    child.stderr?.on('data', (text) => (said = `${said}${text}`.slice(-1000)));
    const ended = once(child, 'exit');
    if (await answers(port, ended)) return { port, ended, [Symbol.dispose]: () => void child.kill('SIGKILL') };
    if (attempt === 10) throw new Error(`no listener on port ${port}: ${said}`);
  }
}

/** @returns the path of an ffmpeg with libsrt; null if none is installed */
export async function ffmpegWithSrt(): Promise<string | null> {
  for (const { tools } of await everyMediaTools()) {
    const { stdout } = await promisify(execFile)(tools.ffmpegPath, ['-hide_banner', '-protocols']);
    if (/^\s*srt$/m.test(stdout)) return tools.ffmpegPath;
  }
  return null;
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}

/** Whether a listener answers at a port before it ends. A trial bind would itself occupy the port for a moment. */
async function answers(port: number, ended: Promise<unknown>): Promise<boolean> {
  const ending = new AbortController();
  void ended.then(() => ending.abort());
  while (!ending.signal.aborted) {
    const socket = createSocket('udp4');
    try {
      socket.connect(port, '127.0.0.1');
      await once(socket, 'connect');
      await awaitListener(socket, ending.signal);
      return true;
    } catch {
      await delay(20, null, { signal: ending.signal }).catch(() => {});
    } finally {
      socket.close();
    }
  }
  return false;
}

/** Delay of packets that are late: longer than the distance of packets. */
const lateMs = 15;

export interface LossyLine extends Disposable {
  readonly port: number;
  /** The number of lost packets in both directions. */
  readonly lost: number;
}

/**
 * Forwards packets between one client and a local port, except the lost ones.
 * @param isLost whether the next packet is lost; not called for the first packets, which make the connection
 * @param isLate whether the next packet arrives after later ones
 */
export async function startLossyLine(
  toPort: number,
  isLost: () => boolean,
  isLate: () => boolean = () => false,
): Promise<LossyLine> {
  // Packets wait for this process on a busy machine. Without a large buffer the sockets would drop long runs of them.
  const options = { type: 'udp4', recvBufferSize: 4 * 1024 * 1024 } as const;
  const [inner, outer] = [createSocket(options), createSocket(options)];
  let [clientPort, lost, passed] = [0, 0, 0];
  const late = new Set<NodeJS.Timeout>();
  const passes = () => {
    passed++;
    if (passed < 20 || !isLost()) return true;
    lost++;
    return false;
  };
  inner.on('message', (packet, { port }) => {
    clientPort = port;
    const forward = () => outer.send(packet, toPort, '127.0.0.1', () => {});
    if (!passes()) return;
    if (isLate()) late.add(setTimeout(forward, lateMs));
    else forward();
  });
  outer.on('message', (packet) => {
    if (passes()) inner.send(packet, clientPort, '127.0.0.1');
  });
  for (const socket of [inner, outer]) socket.on('error', () => {}).bind(0, '127.0.0.1');
  await Promise.all([once(inner, 'listening'), once(outer, 'listening')]);
  return {
    port: inner.address().port,
    get lost() {
      return lost;
    },
    [Symbol.dispose]() {
      for (const timer of late) clearTimeout(timer);
      inner.close();
      outer.close();
    },
  };
}
