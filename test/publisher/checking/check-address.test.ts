// The result of an address check at real kinds of servers: failed step, responsible side, and remedy.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { checkAddress } from '../../../lambda/publisher/checking/check-address.ts';
import type { CheckOptions } from '../../../lambda/publisher/checking/check-address.ts';
import { controlPacket, controlType, readControlPacket } from '../../../lambda/publisher/srt/packet.ts';
import { makeCertificate } from '../../support/certificates.ts';
import { startFaultyIngest } from '../../support/faulty-ingest.ts';
import { freePort } from '../../support/ingests.ts';
import { startScriptedServer } from '../rtmp/scripted-server.ts';
import type { Script } from '../rtmp/scripted-server.ts';

const certificate = await makeCertificate('DNS:localhost');
const options: CheckOptions = { allowPrivateAddresses: true, log: () => {} };

/** Checks an address. @returns the result, with the steps as words: the completed ones, and the failed one */
async function check(url: string, more: Partial<CheckOptions> = {}) {
  const { failure, detail, steps } = await checkAddress(url, false, { ...options, ...more });
  for (const { ms } of steps) expect(ms).toBeGreaterThanOrEqual(0);
  return {
    failure: failure && `${failure.code}: ${failure.blame}`,
    detail,
    steps: steps.map(({ step, isDone }) => (isDone ? step : `not ${step}`)).join(', '),
  };
}

async function serve(script?: Script) {
  const server = await startScriptedServer(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** A server that accepts connections, and calls a function with each. */
async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const refuse =
  (description: string): Script['connect'] =>
  ({ reply }, { transactionID }) =>
    reply('_error', transactionID, null, { level: 'error', code: 'NetConnection.Connect.Rejected', description });

it('reaches a server that takes the application, and tells it no key', async () => {
  const server = await serve();
  expect(await check(server.rtmpURL)).toEqual({
    failure: null,
    detail: 'The server answers, and takes this address. Whether it takes the stream key shows once a stream starts.',
    steps: 'address, tcp, handshake, app',
  });
  await expect.poll(() => server.connections[0]!.socket.destroyed).toBe(true);
  expect(server.commands().map(({ name }) => name)).toEqual(['connect']);
});

it('follows a server that sends it elsewhere', async () => {
  const there = await serve();
  const redirect = {
    level: 'error',
    code: 'NetConnection.Connect.Rejected',
    ex: { code: 302, redirect: there.rtmpURL },
  };
  const here = await serve({
    connect: ({ reply }, { transactionID }) => reply('_error', transactionID, null, redirect),
  });
  expect(await check(here.rtmpURL)).toMatchObject({ failure: null, steps: 'address, tcp, handshake, app' });
  expect([here.commands().length, there.commands().length]).toEqual([1, 1]);
});

it('says that an application was refused, and that the address may be wrong', async () => {
  const server = await serve({ connect: refuse('no such application') });
  expect(await check(server.rtmpURL)).toEqual({
    failure: 'app_refused: caller',
    detail:
      'The destination refused the connection to this application. The path of the RTMP URL may be wrong. ' +
      'Copy the address from the platform’s live settings again.',
    steps: 'address, tcp, handshake, not app',
  });
});

it('says that a server is full, which is its own fault', async () => {
  const server = await serve({ connect: refuse('connection limit exceeded') });
  expect(await check(server.rtmpURL)).toEqual({
    failure: 'server_full: destination',
    detail: 'The destination has no capacity for another stream at the moment. Check again later.',
    steps: 'address, tcp, handshake, not app',
  });
});

it('gives a server up that takes the connection and is silent', async () => {
  const port = await listen(() => {});
  expect(await check(`rtmp://127.0.0.1:${port}/live`, { timeoutMs: 1000 })).toEqual({
    failure: 'timed_out: destination',
    detail:
      'The destination did not answer in time. ' +
      'The port is open, but silent: check the port, and whether it wants rtmp:// or rtmps://.',
    steps: 'address, tcp, not handshake',
  });
});

it('says that something else than RTMP answers', async () => {
  const port = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  expect(await check(`rtmp://127.0.0.1:${port}/live`)).toEqual({
    failure: 'handshake_failed: caller',
    detail: 'The server at the destination does not speak RTMP. Check the host and the port.',
    steps: 'address, tcp, not handshake',
  });
});

it('says that nothing listens', async () => {
  expect(await check(`rtmp://127.0.0.1:${await freePort()}/live`)).toEqual({
    failure: 'unreachable: destination',
    detail:
      "No server accepts connections at the destination's address and port. " +
      'Check the port, and whether the server runs and lets the internet in.',
    steps: 'address, not tcp',
  });
});

it('leaves a server that floods it, after a bounded amount of work', async () => {
  let sent = 0;
  const flood = Buffer.alloc(60_000);
  const server = await serve({
    connect: ({ connection, socket }) => {
      const more = () => {
        if (socket.destroyed) return;
        connection.send([{ chunkStreamID: 4, type: 18, streamID: 0, timestampMs: 0, payload: flood }]);
        sent += flood.length;
        setImmediate(more);
      };
      more();
    },
  });
  expect(await check(server.rtmpURL)).toEqual({
    failure: 'protocol_violated: destination',
    detail:
      'The destination broke the protocol, or sent far more to the publisher than a server has to. ' +
      'Check that the address is that of a streaming platform or server.',
    steps: 'address, tcp, handshake, not app',
  });
  expect(sent).toBeLessThan(32 * 1024 * 1024);
});

it.skipIf(certificate === null)('tells TLS that works from a certificate that nobody vouches for', async () => {
  const ingest = await startFaultyIngest({ host: 'localhost', certificate: certificate! });
  onTestFinished(() => ingest[Symbol.asyncDispose]());
  expect(await check(ingest.rtmpURL, { tlsCa: certificate!.cert })).toMatchObject({
    failure: null,
    steps: 'address, tcp, tls, handshake, app',
  });
  expect(await check(ingest.rtmpURL)).toEqual({
    failure: 'tls_failed: destination',
    detail:
      'No secure connection to the destination: its TLS certificate could not be verified, or it does not speak TLS ' +
      'on this port. Use the host name that the certificate is for, or rtmp:// where the server has no TLS.',
    steps: 'address, tcp, not tls',
  });
  expect([...ingest.keys]).toEqual([]);
});

it('says that there is no such name, and of a name that it cannot be looked up now', async () => {
  const failing = (code: string) => async () => {
    throw Object.assign(new Error('not resolved'), { code });
  };
  expect(await check('rtmp://ingest.example/live', { resolve: failing('ENOTFOUND') })).toEqual({
    failure: 'name_not_found: caller',
    detail: "The destination's host name was not found. Look for a typing error in the address.",
    steps: 'not address',
  });
  expect(await check('rtmp://ingest.example/live', { resolve: failing('EAI_AGAIN') })).toEqual({
    failure: 'name_not_resolved: destination',
    detail: "The destination's host name cannot be looked up at the moment. Check again in a minute.",
    steps: 'not address',
  });
});

it.for([
  'rtmp://127.0.0.1/live',
  'rtmps://inside.example/live',
  'srt://inside.example:9000',
  'https://10.0.0.1/?file=',
])('connects to no address that is not public: %s', async (url) => {
  const resolve = async () => [{ address: '10.1.2.3', family: 4 }];
  expect(await check(url, { allowPrivateAddresses: false, resolve })).toEqual({
    failure: 'address_forbidden: caller',
    detail:
      "The destination's address is in a private or reserved network, which is not allowed. " +
      'Use the public address that the platform shows.',
    steps: 'not address',
  });
});

it('reaches a listener of SRT by its first answer, and says where none answers', async () => {
  const listener = createSocket('udp4');
  const heard: number[] = [];
  listener.on('message', (datagram, { port, address }) => {
    const { payload } = readControlPacket(datagram)!;
    heard.push(payload.readUInt32BE(20));
    const answer = Buffer.from(payload);
    answer.writeUInt32BE(5, 0);
    answer.writeUInt16BE(0x4a17, 6);
    const destinationID = payload.readUInt32BE(24);
    listener.send(controlPacket(controlType.handshake, { timestampUs: 0, destinationID }, answer), port, address);
  });
  listener.bind(0, '127.0.0.1');
  await once(listener, 'listening');
  onTestFinished(() => void listener.close());
  expect(await check(`srt://127.0.0.1:${listener.address().port}`)).toEqual({
    failure: null,
    detail: 'An SRT listener answers. Whether it takes the stream ID and passphrase shows once a stream starts.',
    steps: 'address, handshake',
  });
  // Only the induction handshake arrived, which has neither a stream id nor a passphrase.
  expect(new Set(heard)).toEqual(new Set([1]));
  expect(await check(`srt://127.0.0.1:${await freePort()}`)).toMatchObject({
    // If the system learns that no listener exists, it reports that at once.
    failure: expect.stringMatching(/^un(?:reachable|answered): destination$/),
    steps: 'address, not handshake',
  });
});

it.skipIf(certificate === null)('reaches a server of HLS by its certificate, and asks nothing of it', async () => {
  const bytes: Buffer[] = [];
  const server = createTlsServer({ ...certificate! }, (socket) => {
    socket.on('data', (data) => bytes.push(data)).on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `https://localhost:${(server.address() as AddressInfo).port}/upload?file=`;
  expect(await check(url, { tlsCa: certificate!.cert })).toEqual({
    failure: null,
    detail: 'The server answers over TLS. Whether it takes uploads shows once a stream starts.',
    steps: 'address, tcp, tls',
  });
  expect(bytes).toEqual([]);
});

it('says of an error of ours only that it is one, and writes it to the log', async () => {
  const logged: unknown[] = [];
  const resolve = async () => null as never;
  const log = (event: string) => void logged.push(event);
  expect(await check('srt://ours.example:9000', { resolve, log })).toEqual({
    failure: 'publisher_failed: ours',
    detail: 'The publisher made a mistake while it checked. Check again in a minute.',
    steps: 'not address',
  });
  expect(logged).toEqual(['destination_not_checked']);
});
