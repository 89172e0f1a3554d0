// Listeners of SRT, both over libsrt: that of ffmpeg, and srt-live-transmit. And a line to them that drops packets.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { everyMediaTools } from './media-samples.ts';

export interface SrtListener {
  readonly port: number;
  /** Resolves when it has ended, as it does after its first caller. */
  readonly ended: Promise<unknown>;
  [Symbol.dispose](): void;
}

export interface ListenerOptions {
  /** Where what comes is recorded. */
  readonly file: string;
  readonly passphrase?: string;
  /** Where it listens; anywhere where this is absent. */
  readonly port?: number;
}

/** @returns null where no ffmpeg with libsrt is installed */
export async function ffmpegListener(options: ListenerOptions): Promise<SrtListener | null> {
  const ffmpegPath = await ffmpegWithSrt();
  if (!ffmpegPath) return null;
  const port = options.port ?? (await freeUdpPort());
  const output = ['-c', 'copy', '-f', 'mpegts', options.file];
  return listenerOf(spawn(ffmpegPath, ['-y', '-v', 'error', '-i', urlOf(port, options), ...output]), port);
}

/** @returns null where srt-live-transmit is not installed */
export async function srtLiveTransmit(options: ListenerOptions): Promise<SrtListener | null> {
  const port = await freeUdpPort();
  const child = spawn('srt-live-transmit', ['-q', '-a:no', urlOf(port, options), 'file://con']);
  // It rejects with the error of a program that is not there.
  const hasStarted = await once(child, 'spawn').then(
    () => true,
    () => false,
  );
  if (!hasStarted) return null;
  child.stdout.pipe(createWriteStream(options.file));
  return listenerOf(child, port);
}

function urlOf(port: number, { passphrase }: ListenerOptions): string {
  return `srt://127.0.0.1:${port}?mode=listener${passphrase === undefined ? '' : `&passphrase=${passphrase}`}`;
}

async function listenerOf(child: ChildProcess, port: number): Promise<SrtListener> {
  child.stderr?.resume();
  const ended = once(child, 'exit');
  await untilTaken(port);
  return { port, ended, [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

async function ffmpegWithSrt(): Promise<string | null> {
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

/** Resolves once somebody else has the port. */
async function untilTaken(port: number): Promise<void> {
  for (;;) {
    const socket = createSocket({ type: 'udp4' });
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    const isTaken = await Promise.race([
      once(socket, 'listening').then(() => false),
      once(socket, 'error').then(() => true),
    ]).catch(() => true);
    socket.close();
    if (isTaken) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface LossyLine extends Disposable {
  readonly port: number;
  /** Packets that did not get through, both ways together. */
  readonly lost: number;
}

/**
 * Hands packets on between one client and a port of this machine, but for some.
 * @param isLost whether the next packet gets lost; never asked for the first packets, by which a connection is made
 */
export async function startLossyLine(toPort: number, isLost: () => boolean): Promise<LossyLine> {
  // On a busy machine packets wait for this process: those that its sockets drop by themselves come in long gaps.
  const options = { type: 'udp4', recvBufferSize: 4 * 1024 * 1024 } as const;
  const [inner, outer] = [createSocket(options), createSocket(options)];
  let [clientPort, lost, passed] = [0, 0, 0];
  const passes = () => {
    passed++;
    if (passed < 20 || !isLost()) return true;
    lost++;
    return false;
  };
  inner.on('message', (packet, { port }) => {
    clientPort = port;
    if (passes()) outer.send(packet, toPort, '127.0.0.1');
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
      inner.close();
      outer.close();
    },
  };
}
