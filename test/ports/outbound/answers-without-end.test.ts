// Servers that send without end before they answer: each way to a stranger's server ends the connection.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { httpRequest } from '../../../lambda/imports/http-request.ts';
import { createNameResolver } from '../../../lambda/ports/outbound/name-resolver.ts';
import { openDestinationSocket } from '../../../lambda/publisher/destination/destination-socket.ts';
import { UploadConnection } from '../../../lambda/publisher/hls/upload-connection.ts';
import { tryApplication } from '../../../lambda/publisher/rtmp/rtmp-client.ts';
import { awaitListener } from '../../../lambda/publisher/srt/call.ts';
import { attempt } from '../../../lambda/webhooks/attempt.ts';
import { makeCertificate } from '../../support/certificates.ts';

const certificate = await makeCertificate('IP:127.0.0.1');
const never = new AbortController().signal;
const rules = { allowPrivateAddresses: true, resolve: createNameResolver() };
const destination = { allowPrivateAddresses: true, ...(certificate && { tlsCa: certificate.cert }) };
const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

/** Starts a server that writes `text` for ever, on each connection. */
async function startPouring(text: string) {
  const piece = Buffer.from(text.repeat(Math.ceil(16_384 / text.length)));
  const server = createServer((socket) => {
    const pour = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', pour).on('error', () => {});
    socket.once('data', pour);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe.each(['102 Processing', '100 Continue', '103 Early Hints'])('answers of %s without end', (status) => {
  const text = `HTTP/1.1 ${status}\r\n\r\n`;

  test('end an import', async () => {
    const url = new URL(`http://127.0.0.1:${await startPouring(text)}/a.mp4`);
    const failure = await failureOf(httpRequest(url, { headers: {} }, { ...rules, answerMs: 20_000 }, never));
    expect(failure).toMatchObject({ code: 'protocol_error' });
  });

  test('end a webhook', async () => {
    const url = `http://127.0.0.1:${await startPouring(text)}/`;
    const outcome = await attempt(url, {}, '{}', { ...rules, timeoutMs: 20_000 }, never);
    expect(outcome).toMatchObject({ status: null, failure: 'protocol_error' });
  });

  test('end an upload to an HLS destination', async () => {
    const host = { hostname: '127.0.0.1', port: await startPouring(text), secure: false };
    const connection = await UploadConnection.open(host, destination, never);
    const upload = { url: `http://127.0.0.1:${host.port}/a.ts`, contentType: 'video/mp2t', body: [Buffer.alloc(100)] };
    expect(await failureOf(connection.put(upload, never))).toMatchObject({ code: 'protocol_violated' });
    connection.close();
  });
});

test('handshakes of SRT without end are a violation', async () => {
  const listener = createSocket('udp4').bind(0, '127.0.0.1');
  await once(listener, 'listening');
  const socket = createSocket('udp4');
  onTestFinished(() => [listener, socket].forEach((each) => each.close()));
  let flood: NodeJS.Immediate | undefined;
  listener.once('message', (_datagram, { port, address }) => {
    const pour = () => {
      for (let index = 0; index < 50; index += 1) listener.send(Buffer.alloc(64), port, address);
      flood = setImmediate(pour);
    };
    pour();
  });
  socket.connect(listener.address().port, '127.0.0.1');
  await once(socket, 'connect');
  expect(await failureOf(awaitListener(socket, never))).toMatchObject({ code: 'protocol_violated' });
  clearImmediate(flood);
});

describe.runIf(certificate)('updates of the keys of TLS without end', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keys-'));
    await writeFile(join(folder, 'cert.pem'), certificate!.cert);
    await writeFile(join(folder, 'key.pem'), certificate!.key);
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Starts a server of openssl, which updates its keys for each line `k`. */
  async function startUpdating(): Promise<number> {
    const files = ['-cert', join(folder, 'cert.pem'), '-key', join(folder, 'key.pem')];
    const server = spawn('openssl', ['s_server', '-tls1_3', '-accept', '127.0.0.1:0', ...files], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    onTestFinished(() => void server.kill());
    server.stdin.on('error', () => {});
    const lines = createInterface(server.stdout);
    const pour = () => {
      while (server.stdin.writable && server.stdin.write('k\n'.repeat(8192)));
    };
    server.stdin.on('drain', pour);
    for await (const line of lines) {
      const port = /^ACCEPT .*:(\d+)$/.exec(line)?.[1];
      if (port === undefined) continue;
      lines.on('line', (said) => said.startsWith('-----BEGIN SSL SESSION') && pour());
      return Number(port);
    }
    throw new Error('openssl has no port');
  }

  test('end a connection to a destination', async () => {
    const server = { hostname: '127.0.0.1', port: await startUpdating(), secure: true };
    const socket = await openDestinationSocket(server, destination, never);
    const failure = new Promise((resolve) => socket.once('error', resolve));
    socket.on('data', () => {});
    expect(await failure).toMatchObject({ name: 'SentTooMuch' });
  });

  test('end the begin of a stream over RTMPS', async () => {
    const url = `rtmps://127.0.0.1:${await startUpdating()}/live`;
    expect(await failureOf(tryApplication(url, destination, never))).toMatchObject({ code: 'protocol_violated' });
  });

  test('end an import', async () => {
    const url = new URL(`https://127.0.0.1:${await startUpdating()}/a.mp4`);
    const options = { ...rules, answerMs: 20_000, tlsCa: certificate!.cert };
    expect(await failureOf(httpRequest(url, { headers: {} }, options, never))).toMatchObject({
      code: 'protocol_error',
    });
  });
});
