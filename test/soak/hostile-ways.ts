// Hostile servers of every way out, over TLS and UDP.
// They pour before, during and after their answer, or hardly answer.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import type { WayName } from '../../lambda/domain/destinations/ways/ways.ts';
import { makeCertificate } from '../support/certificates.ts';
import type { Certificate } from '../support/certificates.ts';
import { acceptPublisher } from './hostile-destination.ts';

export interface HostileWays {
  /** The URLs of every way out. None of them ends in `/live`. */
  readonly urls: Readonly<Record<WayName, readonly string[]>>;
  /** The certificate that the servers have. */
  readonly tlsCa: string;
}

type Treat = (socket: TLSSocket) => void;

const slowByteMs = 1000;
/** A server of openssl serves one connection at a time. */
const updatersPerWay = 3;

/** Treatments of an HLS upload once it begins, by the name of the kind. */
const uploads: Readonly<Record<string, Treat>> = {
  'interim-answers': (socket) => pour(socket, '', 'HTTP/1.1 102 P\r\n\r\n'),
  'endless-answers': (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'a'.repeat(100)),
  'endless-heads': (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', 'a: b\r\n'),
  'slow-answers': (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
};

/** The kinds of RTMPS servers. The floods begin once the stream is published. */
const publications = (bytesPerSecond: number): Readonly<Record<string, Treat>> => ({
  'slow-handshake': (socket) => drip(socket, `\u0003${'a'.repeat(3072)}`),
  'endless-handshake': (socket) => pour(socket, '\u0003', 'a'.repeat(100)),
  floods: (socket) => acceptPublisher(socket, bytesPerSecond),
});
const floods = ['pings', 'commands', 'long-messages', 'acknowledgements'];

/**
 * Listens as long as the process lives.
 * @param bytesPerSecond rate of a flood over RTMPS, for each connection
 * @returns null if openssl is missing
 */
export async function startHostileWays(bytesPerSecond: number): Promise<HostileWays | null> {
  const certificate = await makeCertificate('IP:127.0.0.1');
  if (!certificate) return null;
  const uploadURLs = Object.values(uploads).map(async (treat) => {
    return [`https://127.0.0.1:${await listen(certificate, (socket) => socket.once('data', () => treat(socket)))}/up/`];
  });
  const publicationURLs = Object.entries(publications(bytesPerSecond)).map(async ([name, treat]) => {
    const url = `rtmps://127.0.0.1:${await listen(certificate, treat)}`;
    return name === 'floods' ? floods.map((kind) => `${url}/${kind}`) : [`${url}/app`];
  });
  const updaters = () => Promise.all(Array.from({ length: updatersPerWay }, () => startUpdatingKeys(certificate)));
  const [hlsUpdaters, rtmpUpdaters] = await Promise.all([updaters(), updaters()]);
  return {
    urls: {
      hls: [...(await Promise.all(uploadURLs)).flat(), ...hlsUpdaters.map((port) => `https://127.0.0.1:${port}/up/`)],
      rtmp: [
        ...(await Promise.all(publicationURLs)).flat(),
        ...rtmpUpdaters.map((port) => `rtmps://127.0.0.1:${port}/app`),
      ],
      srt: [`srt://127.0.0.1:${await startPouringDatagrams()}`],
    },
    tlsCa: certificate.cert,
  };
}

async function listen(certificate: Certificate, treat: Treat): Promise<number> {
  const server = createServer(certificate, (socket) => treat(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Writes a text, and then another one without end. */
function pour(socket: TLSSocket, first: string, repeated: string): void {
  const piece = Buffer.from(repeated.repeat(Math.ceil(16_384 / repeated.length)));
  const write = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.write(first);
  socket.on('drain', write).on('data', () => {});
  write();
}

/** Writes a text byte by byte, again and again. */
function drip(socket: TLSSocket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length]!), slowByteMs);
  socket.on('data', () => {}).once('close', () => clearInterval(timer));
}

/** Starts a server of openssl that updates its keys without end. @returns its port */
async function startUpdatingKeys({ cert, key }: Certificate): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'hostile-keys-'));
  const files = [join(folder, 'cert.pem'), join(folder, 'key.pem')] as const;
  await Promise.all([writeFile(files[0], cert), writeFile(files[1], key)]);
  const options = ['-tls1_3', '-accept', '127.0.0.1:0', '-cert', files[0], '-key', files[1]];
  const server = spawn('openssl', ['s_server', ...options], { stdio: ['pipe', 'pipe', 'ignore'] });
  process.once('exit', () => server.kill());
  pourLines(server);
  const lines = createInterface(server.stdout);
  for await (const line of lines) {
    const port = /^ACCEPT .*:(\d+)$/.exec(line)?.[1];
    if (port === undefined) continue;
    server.stdout.resume();
    await rm(folder, { recursive: true });
    return Number(port);
  }
  throw new Error('openssl has no port');
}

/** Writes the line that makes openssl update its keys, as fast as it reads. */
function pourLines({ stdin }: ChildProcess): void {
  const piece = 'k\n'.repeat(8192);
  const write = () => {
    while (stdin!.writable && stdin!.write(piece));
  };
  stdin!.on('drain', write).on('error', () => {});
  write();
}

/** Answers the first datagram of each sender with handshakes without end. @returns the port */
async function startPouringDatagrams(): Promise<number> {
  const listener = createSocket('udp4').bind(0, '127.0.0.1');
  await once(listener, 'listening');
  const callers = new Set<number>();
  const datagram = Buffer.alloc(64);
  datagram.writeUInt16BE(0x8000);
  listener.on('message', (_datagram, { port }) => void callers.add(port)).on('error', () => {});
  setInterval(() => {
    for (const port of callers) for (let count = 0; count < 20; count++) listener.send(datagram, port, '127.0.0.1');
  }, 10);
  return listener.address().port;
}
