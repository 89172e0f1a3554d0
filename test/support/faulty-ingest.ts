// An RTMP ingest that accepts every publisher, counts them by stream key, and fails on command.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Amf0Input } from '../../lambda/publisher/rtmp/amf0.ts';
import { asObject, commandMessage, readCommand } from '../../lambda/publisher/rtmp/command.ts';
import type { RtmpCommand } from '../../lambda/publisher/rtmp/command.ts';
import { messageType } from '../../lambda/publisher/rtmp/message.ts';
import type { RtmpMessage } from '../../lambda/publisher/rtmp/message.ts';
import { RtmpConnection } from '../../lambda/publisher/rtmp/rtmp-connection.ts';

/**
 * Fault of the ingest. `refuse`: it does not listen. `stall`: it reads nothing. `throttle`: it reads a limited number
 * of bytes a second. `reject`: it refuses the key.
 */
export type Fault = 'none' | 'refuse' | 'stall' | 'throttle' | 'reject';

/** The data of one connection, from its command to publish on. Times are milliseconds of a steady clock. */
export interface Publication {
  readonly beganAtMs: number;
  endedAtMs: number | null;
  firstPictureAtMs: number | null;
  lastPictureAtMs: number | null;
  pictures: number;
  /** The timestamp of the last picture. */
  timestampMs: number;
  /** The longest step between the timestamps of neighbouring pictures. */
  longestStepMs: number;
  /** Bytes that the connection has received so far. */
  readonly bytes: number;
}

/** Facts about one stream key at one application. */
export interface KeyFacts {
  readonly publications: Publication[];
  mostAtOnce: number;
}

export interface FaultyIngest extends AsyncDisposable {
  readonly rtmpURL: string;
  /** Facts by application and key, as in `live/key`. */
  readonly keys: ReadonlyMap<string, KeyFacts>;
  /** Sets the fault of all connections, new and old ones. `refuse` ends them. */
  set(fault: Fault): Promise<void>;
  /** Resets all connections. */
  reset(): void;
}

const throttleEveryMs = 100;

export async function startFaultyIngest({
  host = '127.0.0.1',
  certificate,
  throttledBytesPerSecond = 64 * 1024,
  onPicture,
}: {
  readonly host?: string;
  /** Makes the ingest use RTMPS. */
  readonly certificate?: { readonly key: string; readonly cert: string };
  /** Bytes a second that are read from each connection while throttled. */
  readonly throttledBytesPerSecond?: number;
  readonly onPicture?: (path: string, publication: Publication, picture: RtmpMessage) => void;
} = {}): Promise<FaultyIngest> {
  const sockets = new Set<Socket>();
  /** Bytes that may still be read from each connection while throttled. */
  const allowedBytes = new WeakMap<Socket, number>();
  const keys = new Map<string, KeyFacts>();
  let fault: Fault = 'none';
  let port = 0;
  let server = await listen();
  const throttling = setInterval(() => {
    if (fault === 'throttle') for (const socket of sockets) letThrough(socket);
  }, throttleEveryMs);

  return {
    get rtmpURL() {
      return `${certificate ? 'rtmps' : 'rtmp'}://${host}:${port}/live`;
    },
    keys,
    async set(wanted) {
      const before = fault;
      fault = wanted;
      if (wanted === 'refuse') {
        server.close();
        for (const socket of sockets) socket.destroy();
        await once(server, 'close');
      } else if (before === 'refuse') server = await listen();
      for (const socket of sockets)
        if (isBackedUp()) socket.pause();
        else socket.resume();
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(throttling);
      for (const socket of sockets) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };

  function isBackedUp(): boolean {
    return fault === 'stall' || fault === 'throttle';
  }

  async function listen(): Promise<Server> {
    const listening = certificate ? createTlsServer(certificate, serve) : createServer({ noDelay: true }, serve);
    await once(listening.listen(port, host), 'listening');
    port = (listening.address() as AddressInfo).port;
    return listening;
  }

  function letThrough(socket: Socket): void {
    const allowed = Math.min(0, allowedBytes.get(socket) ?? 0) + (throttledBytesPerSecond * throttleEveryMs) / 1000;
    allowedBytes.set(socket, allowed);
    if (allowed > 0) socket.resume();
  }

  function serve(socket: Socket): void {
    sockets.add(socket);
    let app = '';
    let publication: { path: string; facts: Publication } | null = null;
    const connection = new RtmpConnection(socket, 'server', {
      onOpen: () => connection.requestAcknowledgements(),
      onMessage: (message) => {
        const command = readCommand(message);
        if (command) obey(command);
        else if (publication && message.type === messageType.video && message.payload[1] === 1)
          count(publication, message);
      },
    });
    if (isBackedUp()) socket.pause();
    socket.on('data', ({ length }) => {
      if (fault !== 'throttle') return;
      const allowed = (allowedBytes.get(socket) ?? 0) - length;
      allowedBytes.set(socket, allowed);
      if (allowed <= 0) socket.pause();
    });
    const answer = (name: string, transactionID: number, ...values: Amf0Input[]) =>
      connection.send([commandMessage(0, name, transactionID, ...values)]);
    const end = () => {
      if (publication) publication.facts.endedAtMs ??= performance.now();
    };
    socket.once('close', () => {
      sockets.delete(socket);
      end();
    });

    function obey({ name, transactionID, values }: RtmpCommand): void {
      if (name === 'connect') {
        app = asObject(values[0])['app'] as string;
        answer('_result', transactionID, {}, { level: 'status', code: 'NetConnection.Connect.Success' });
      }
      if (name === 'createStream') answer('_result', transactionID, null, 1);
      if (name === 'publish') publish(values[1] as string);
      if (name === 'deleteStream') end();
    }

    function publish(key: string): void {
      if (fault === 'reject') {
        const denied = { level: 'error', code: 'NetStream.Publish.Denied', description: 'Stream key is invalid' };
        answer('onStatus', 0, null, denied);
        return;
      }
      const path = `${app}/${key}`;
      const facts: Publication = {
        beganAtMs: performance.now(),
        endedAtMs: null,
        firstPictureAtMs: null,
        lastPictureAtMs: null,
        pictures: 0,
        timestampMs: 0,
        longestStepMs: 0,
        get bytes() {
          return socket.bytesRead;
        },
      };
      const known = keys.get(path) ?? { publications: [], mostAtOnce: 0 };
      keys.set(path, known);
      known.publications.push(facts);
      const atOnce = known.publications.filter(({ endedAtMs }) => endedAtMs === null).length;
      known.mostAtOnce = Math.max(known.mostAtOnce, atOnce);
      publication = { path, facts };
      answer('onStatus', 0, null, { level: 'status', code: 'NetStream.Publish.Start' });
    }
  }

  function count({ path, facts }: { path: string; facts: Publication }, picture: RtmpMessage): void {
    facts.lastPictureAtMs = performance.now();
    facts.firstPictureAtMs ??= facts.lastPictureAtMs;
    if (facts.pictures > 0)
      facts.longestStepMs = Math.max(facts.longestStepMs, picture.timestampMs - facts.timestampMs);
    facts.timestampMs = picture.timestampMs;
    facts.pictures++;
    onPicture?.(path, facts, picture);
  }
}
