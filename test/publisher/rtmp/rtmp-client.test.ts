// The RTMP client identifies itself as encoders do, explains refusals and ends, and keeps the stream key secret.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Amf0Input } from '../../../lambda/publisher/rtmp/amf0.ts';
import { ChunkReader } from '../../../lambda/publisher/rtmp/chunk-reader.ts';
import { fromPublisher } from '../../../lambda/publisher/rtmp/inbound-limits.ts';
import { controlMessage, messageType } from '../../../lambda/publisher/rtmp/message.ts';
import type { MediaMessage, RtmpMessage } from '../../../lambda/publisher/rtmp/message.ts';
import { connectTo as connectToTarget } from '../../../lambda/publisher/destination/connect-to.ts';
import type { PublishOptions } from '../../../lambda/publisher/destination/publisher.ts';
import type { Publisher } from '../../../lambda/publisher/destination/publisher.ts';
import { freePort } from '../../support/ingests.ts';
import { startScriptedServer } from './scripted-server.ts';
import type { Script, ScriptedServer } from './scripted-server.ts';

const streamKey = 'k3y-sEcret?auth=t0ken%2F';
const options: PublishOptions = { allowPrivateAddresses: true, connectTimeoutMs: 5000 };
const never = new AbortController().signal;

async function serve(script?: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

function connectTo(url: string, changes: Partial<PublishOptions> = {}, signal = never): Promise<Publisher> {
  return connectToTarget({ way: 'rtmp', url, streamKey }, { ...options, ...changes }, signal);
}

/** Starts a TCP server that does not speak RTMP. @returns its address, without a scheme */
async function listen(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onConnection(socket);
  }).listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/live`;
}

function failure(code: string): unknown {
  return expect.objectContaining({ name: 'DestinationError', code });
}

function frameAt(timestampMs: number, bytes = 300): MediaMessage {
  return { type: 'video', timestampMs, payload: Buffer.alloc(bytes, timestampMs % 251) };
}

describe('the client', () => {
  test('asks as encoders do, with URL and key unchanged, over one connection', async () => {
    const server = await serve();
    const publisher = await connectTo(`${server.rtmpURL}/room?sig=a%2Fb`);
    await publisher.close();
    const commands = server.commands();
    expect(commands.map(({ name }) => name)).toEqual([
      'connect',
      'releaseStream',
      'FCPublish',
      'createStream',
      'publish',
      'FCUnpublish',
      'deleteStream',
    ]);
    expect(commands[0]!.values[0]).toMatchObject({
      app: 'live/room?sig=a%2Fb',
      type: 'nonprivate',
      tcUrl: `${server.rtmpURL}/room?sig=a%2Fb`,
      fpad: false,
    });
    expect(commands[4]!.values).toEqual([null, streamKey, 'live']);
    expect(server.connections).toHaveLength(1);
  });

  test('delivers messages in order, with times from 0 to beyond 32 bits', async () => {
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    const sent = [0, 33, 2 ** 32 - 1, 2 ** 32 + 40].map((timestampMs) => frameAt(timestampMs, 10_000));
    publisher.send(sent);
    await publisher.close();
    const received = server.connections[0]!.received.filter(({ type }) => type === messageType.video);
    const expected = sent.map(({ timestampMs, payload }) => [timestampMs % 2 ** 32, payload]);
    expect(received.map(({ timestampMs, payload }) => [timestampMs, payload])).toEqual(expected);
  });

  test.for([[[-1]], [[0.5]], [[100, 99]], [[Number.NaN]]])(
    "refuses the times %j as the caller's mistake",
    async ([times]) => {
      const server = await serve();
      const publisher = await connectTo(server.rtmpURL);
      expect(() => publisher.send(times!.map((timestampMs) => frameAt(timestampMs)))).toThrow(RangeError);
    },
  );

  test('answers pings and bandwidth limits, and acknowledges what it receives', async () => {
    const server = await serve();
    await connectTo(server.rtmpURL);
    const { connection, socket } = server.connections[0]!;
    const answers: RtmpMessage[] = [];
    const reader = new ChunkReader(fromPublisher);
    socket.on('data', (data) => answers.push(...reader.read(data)));
    const ping = { ...controlMessage(messageType.userControl, 0), payload: Buffer.from('000600c0ffee', 'hex') };
    connection.send([
      controlMessage(messageType.windowAcknowledgementSize, 10),
      controlMessage(messageType.setPeerBandwidth, 5_000_000),
      ping,
    ]);
    const answered = () => answers.map(({ type, payload }) => [type, payload.toString('hex')]);
    await expect.poll(answered).toEqual([
      [messageType.windowAcknowledgementSize, '00040000'],
      [messageType.userControl, '000700c0ffee'],
      [messageType.acknowledgement, expect.stringMatching(/^[0-9a-f]{8}$/)],
    ]);
  });

  test('counts what the server acknowledges', async () => {
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    expect(publisher.bytesAcknowledged).toBeNull();
    server.connections[0]!.connection.send([controlMessage(messageType.acknowledgement, 3200)]);
    await expect.poll(() => publisher.bytesAcknowledged).toBe(3200);
    expect(publisher.bytesSent).toBeGreaterThan(3200);
  });
});

describe('a destination that says no', () => {
  const refusals: readonly (readonly [string, string, string, string])[] = [
    ['connect', 'NetConnection.Connect.Rejected', `no such app ${streamKey}`, 'app_refused'],
    ['connect', 'NetConnection.Connect.Rejected', 'server full', 'server_full'],
    ['createStream', 'NetStream.Failed', '', 'app_refused'],
    ['publish', 'NetStream.Publish.BadName', 'Already publishing', 'already_publishing'],
    ['publish', 'NetStream.Publish.BadName', '', 'already_publishing'],
    ['publish', 'NetStream.Publish.BadName', `Invalid stream key ${streamKey}`, 'key_refused'],
    ['publish', 'NetStream.Publish.Denied', `${streamKey} is not allowed`, 'key_refused'],
    ['publish', 'NetStream.Publish.Rejected', 'too many streams', 'server_full'],
    ['publish', 'Anything.Else', '', 'key_refused'],
    // Wowza and Flash Media Server answer this to request RTMP authentication.
    [
      'connect',
      'NetConnection.Connect.Rejected',
      '[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : ',
      'login_required',
    ],
    [
      'connect',
      'NetConnection.Connect.Rejected',
      '[ AccessManager.Reject ] : [ authmod=llnw ] : ?reason=needauth',
      'login_required',
    ],
    ['connect', 'NetConnection.Connect.InvalidApp', '', 'app_refused'],
    ['connect', 'NetConnection.Connect.AppShutdown', '', 'app_refused'],
    ['publish', 'NetStream.Publish.BadName', 'Stream already publishing', 'already_publishing'],
    ['publish', 'NetStream.Publish.Denied', 'Stream name is already in use', 'already_publishing'],
    ['publish', 'NetStream.Publish.BadName', 'stream is busy', 'already_publishing'],
    ['publish', 'NetStream.Publish.Denied', 'publisher authentication failed', 'key_refused'],
    ['publish', 'NetStream.Publish.Failed', 'Maximum number of publishers exceeded', 'server_full'],
    ['publish', 'NetStream.Publish.Failed', 'server is busy', 'server_full'],
    ['publish', 'NetConnection.Call.Failed', '', 'key_refused'],
  ];

  test.for(refusals)('to %s with %s %j', async ([command, code, description, expected]) => {
    const info = { level: 'error', code, description };
    const server = await serve({
      [command]: ({ reply }, { transactionID }) =>
        command === 'publish' ? reply('onStatus', 0, null, info) : reply('_error', transactionID, null, info),
    });
    const error: unknown = await connectTo(server.rtmpURL).catch((reason: unknown) => reason);
    expect(error).toEqual(failure(expected));
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('sEcret');
  });

  test.for([
    ['connect', 'app_refused'],
    ['createStream', 'app_refused'],
    ['publish', 'key_refused'],
  ] as const)('by closing the connection at %s', async ([command, expected]) => {
    const server = await serve({ [command]: ({ socket }) => void socket.end() });
    await expect(connectTo(server.rtmpURL)).rejects.toThrow(failure(expected));
  });

  test('at great length is understood as fast as others', async () => {
    const info = { level: 'error', code: 'NetStream.Publish.Failed', description: 'busy '.repeat(12_000) };
    const server = await serve({ publish: ({ reply }) => reply('onStatus', 0, null, info) });
    await expect(connectTo(server.rtmpURL)).rejects.toThrow(failure('server_full'));
  });

  test('to publish with _error', async () => {
    const server = await serve({
      publish: ({ reply }, { transactionID }) =>
        reply('_error', transactionID, null, { code: 'NetStream.Publish.Denied' }),
    });
    await expect(connectTo(server.rtmpURL)).rejects.toThrow(failure('key_refused'));
  });

  test('only to recording gets the stream', async () => {
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    const info = { level: 'error', code: 'NetStream.Record.Failed', description: 'no space left' };
    server.connections[0]!.reply('onStatus', 0, null, info);
    const { connection } = server.connections[0]!;
    connection.send([controlMessage(messageType.acknowledgement, 3200)]);
    await expect.poll(() => publisher.bytesAcknowledged).toBe(3200);
    await publisher.close();
    expect(await publisher.ended).toBeNull();
  });

  test('only to FCPublish gets the stream', async () => {
    const server = await serve({
      FCPublish: ({ reply }, { transactionID }) => reply('_error', transactionID, null, { level: 'error' }),
    });
    await expect(connectTo(server.rtmpURL)).resolves.toBeDefined();
  });
});

describe('a codec of Enhanced RTMP', () => {
  const answering = (properties: Amf0Input, info: object = {}): Script => ({
    connect: ({ reply }, { transactionID }) =>
      reply('_result', transactionID, properties, { level: 'status', code: 'NetConnection.Connect.Success', ...info }),
  });
  const announced = (server: ScriptedServer) => server.commands().find(({ name }) => name === 'connect')!.values[0];

  test.each([
    ['hevc', 'hvc1'],
    ['av1', 'av01'],
  ] as const)('%s is announced as %s, and sent to a server that says nothing of codecs', async (videoCodec, fourCC) => {
    const server = await serve();
    await (await connectTo(server.rtmpURL, { videoCodec })).close();
    expect(announced(server)).toMatchObject({ fourCcList: [fourCC], videoFourCcInfoMap: { [fourCC]: 2 } });
  });

  test('is not announced where H.264 is sent', async () => {
    const server = await serve(answering({ fourCcList: ['av01'] }));
    await (await connectTo(server.rtmpURL)).close();
    expect(announced(server)).not.toHaveProperty('fourCcList');
    expect(announced(server)).not.toHaveProperty('videoFourCcInfoMap');
  });

  test.each([
    ['lists it', answering({ fourCcList: ['av01', 'hvc1'] })],
    ['lists it in its status', answering({}, { fourCcList: ['hvc1'] })],
    ['takes any codec', answering({ fourCcList: ['*'] })],
    ['decodes it', answering({ videoFourCcInfoMap: { hvc1: 1 } })],
    ['passes any codec on', answering({ fourCcList: ['av01'], videoFourCcInfoMap: { '*': 4 } })],
    ['says something that is no list', answering({ fourCcList: 'all', videoFourCcInfoMap: ['hvc1'] })],
  ])('is sent to a server that %s', async (_, script) => {
    const server = await serve(script);
    await (await connectTo(server.rtmpURL, { videoCodec: 'hevc' })).close();
    expect(server.commands().map(({ name }) => name)).toContain('publish');
  });

  test.each([
    ['lists other codecs', answering({ fourCcList: ['av01', 'vp09'] })],
    ['lists no codec', answering({ fourCcList: [] })],
    ['only encodes it', answering({ fourCcList: ['hvc1'], videoFourCcInfoMap: { hvc1: 2 } })],
    ['says that it can do nothing with any', answering({ videoFourCcInfoMap: {} })],
  ])('is refused for a server that %s, before a key is sent', async (_, script) => {
    const server = await serve(script);
    await expect(connectTo(server.rtmpURL, { videoCodec: 'hevc' })).rejects.toEqual(failure('codec_refused'));
    await server.connections[0]!.connection.ended;
    expect(server.commands().map(({ name }) => name)).toEqual(['connect']);
  });
});

describe('a destination that leads elsewhere', () => {
  const redirecting = (redirect: string): Script => {
    const code = 'NetConnection.Connect.Rejected';
    const info = { level: 'error', code, description: 'Connection failed', ex: { code: 302, redirect } };
    return { connect: ({ reply }, { transactionID }) => reply('_error', transactionID, null, info) };
  };

  test('is followed, with the same key', async () => {
    const there = await serve();
    const here = await serve(redirecting(`${there.rtmpURL}/room`));
    const publisher = await connectTo(here.rtmpURL);
    const asked = there.commands().find(({ name }) => name === 'connect')!.values[0];
    expect(asked).toMatchObject({ app: 'live/room', tcUrl: `${there.rtmpURL}/room` });
    expect(there.commands().find(({ name }) => name === 'publish')!.values[1]).toBe(streamKey);
    expect(here.connections).toHaveLength(1);
    await here.connections[0]!.connection.ended;
    await publisher.close();
  });

  test('is followed only once', async () => {
    const here = await serve(redirecting('/live'));
    const error: unknown = await connectTo(here.rtmpURL).catch((reason: unknown) => reason);
    expect(error).toEqual(failure('redirected'));
    expect(here.connections).toHaveLength(2);
  });

  test('cannot lead to a forbidden address, or to a URL that is not RTMP', async () => {
    const inside = await serve(redirecting('rtmp://169.254.169.254/latest'));
    await expect(connectTo(inside.rtmpURL)).rejects.toThrow(failure('address_forbidden'));
    const strange = await serve(redirecting(`http://127.0.0.1/${streamKey}`));
    const error: unknown = await connectTo(strange.rtmpURL).catch((reason: unknown) => reason);
    expect(error).toEqual(failure('redirected'));
    expect(inspect(error, { depth: 9, showHidden: true, getters: true })).not.toContain('sEcret');
  });
});

describe('a destination that asks to connect again (Enhanced RTMP, ReconnectRequest)', () => {
  const request = (tcUrl?: string) => ({
    level: 'status',
    code: 'NetConnection.Connect.ReconnectRequest',
    description: 'The server is updated.',
    ...(tcUrl !== undefined && { tcUrl }),
  });

  test('is told before that the client can', async () => {
    const server = await serve();
    await connectTo(server.rtmpURL);
    expect(server.commands()[0]!.values[0]).toMatchObject({ capsEx: 1 });
  });

  test.for([
    [undefined, 'rtmp://127.0.0.1:PORT/live'],
    ['rtmp://live.example:1936/app', 'rtmp://live.example:1936/app'],
    ['//live.example/app', 'rtmp://live.example/app'],
    ['/other', 'rtmp://127.0.0.1:PORT/other'],
    ['http://live.example/app', 'rtmp://127.0.0.1:PORT/live'],
  ] as const)('at %s means %s, and the stream goes on', async ([tcUrl, expected]) => {
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    expect(publisher.moveRequest).toBeNull();
    server.connections[0]!.reply('onStatus', 0, null, request(tcUrl));
    await expect.poll(() => publisher.moveRequest).toBe(expected.replace('PORT', String(server.port)));
    publisher.send([frameAt(0)]);
    await publisher.close();
    expect(server.connections[0]!.received.some(({ type }) => type === messageType.video)).toBe(true);
  });

  test('and then ends the connection itself has not failed', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    vi.advanceTimersByTime(60_000);
    server.connections[0]!.reply('onStatus', 0, null, request());
    server.connections[0]!.socket.end();
    expect(await publisher.ended).toBeNull();
  });
});

describe('a destination that cannot be reached', () => {
  test('is reported as such where nobody listens', async () => {
    await expect(connectTo(`rtmp://127.0.0.1:${await freePort()}/live`)).rejects.toThrow(failure('unreachable'));
  });

  test('is reported as timed out when it is silent, over TCP, TLS or after a command', async () => {
    const silent = await listen(() => {});
    const mute = await serve({ publish: () => {} });
    for (const url of [`rtmp://${silent}`, `rtmps://${silent}`, mute.rtmpURL]) {
      await expect(connectTo(url, { connectTimeoutMs: 100 })).rejects.toThrow(failure('timed_out'));
    }
  });

  test('is reported as one that does not speak RTMP when it is a web server', async () => {
    const web = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await expect(connectTo(`rtmp://${web}`)).rejects.toThrow(failure('handshake_failed'));
  });

  test('is reported as one that does not speak RTMP when it hangs up at once', async () => {
    const closed = await listen((socket) => socket.end());
    await expect(connectTo(`rtmp://${closed}`)).rejects.toThrow(failure('handshake_failed'));
  });

  test.for(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]'])(
    'is forbidden at %s, before anything is sent',
    async (host) => {
      const server = await serve();
      const connecting = connectTo(`rtmp://${host}:${server.port}/live`, { allowPrivateAddresses: false });
      await expect(connecting).rejects.toThrow(failure('address_forbidden'));
      expect(server.connections).toHaveLength(0);
    },
  );

  test('has no fault when its URL is not RTMP', async () => {
    await expect(connectTo('https://127.0.0.1/live')).rejects.toThrow(TypeError);
  });

  test('is left when the caller gives up, with the reason of the caller', async () => {
    const server = await serve({ connect: () => abort.abort(new Error('stream deleted')) });
    const abort = new AbortController();
    await expect(connectTo(server.rtmpURL, {}, abort.signal)).rejects.toThrow('stream deleted');
    await server.connections[0]!.connection.ended;
  });

  test('is not connected to when the caller has given up before', async () => {
    const server = await serve();
    await expect(connectTo(server.rtmpURL, {}, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    expect(server.connections).toHaveLength(0);
  });
});

describe('a connection that ends', () => {
  test('by us ends properly, and once', async () => {
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    await Promise.all([publisher.close(), publisher.close()]);
    expect(await publisher.ended).toBeNull();
    expect(await server.connections[0]!.connection.ended).toEqual({ by: 'peer' });
    expect(server.commands().filter(({ name }) => name === 'deleteStream')).toHaveLength(1);
  });

  test('by us ends although the server does not read', async () => {
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    server.connections[0]!.socket.pause();
    for (let round = 0; round < 16; round++) publisher.send([frameAt(round, 1024 * 1024)]);
    expect(publisher.bytesQueued).toBeGreaterThan(0);
    await publisher.close();
    expect(await publisher.ended).toBeNull();
  });

  // Twitch does this for an unknown key, and SRS when a hook refuses.
  test('by the destination as soon as the stream has begun', async () => {
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    server.connections[0]!.socket.end();
    expect(await publisher.ended).toEqual(failure('ended_at_once'));
  });

  test('by the destination closing the connection', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    vi.advanceTimersByTime(60_000);
    server.connections[0]!.socket.end();
    expect(await publisher.ended).toEqual(failure('ended_by_destination'));
    publisher.send([frameAt(0)]);
    await publisher.close();
  });

  test('by a message of the destination', async () => {
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    server.connections[0]!.reply('onStatus', 0, null, { level: 'status', code: 'NetStream.Unpublish.Success' });
    expect(await publisher.ended).toEqual(failure('ended_by_destination'));
  });

  test('by a reset connection', async () => {
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    server.connections[0]!.socket.resetAndDestroy();
    expect(await publisher.ended).toEqual(failure('connection_lost'));
  });

  test('by bytes that are not RTMP', async () => {
    const server = await serve();
    const publisher = await connectTo(server.rtmpURL);
    server.connections[0]!.socket.write(Buffer.alloc(100, 0xff));
    expect(await publisher.ended).toEqual(failure('protocol_violated'));
  });
});

test('a publisher does not show the stream key', async () => {
  const server = await serve();
  const publisher = await connectTo(server.rtmpURL);
  expect(inspect(publisher, { depth: 20, showHidden: true })).not.toContain('sEcret');
  expect(JSON.stringify(publisher)).not.toContain('sEcret');
});
