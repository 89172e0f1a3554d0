// A listener for contributors on loopback, with a door that records, and clients that send it any bytes.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type {
  ContributedTag,
  ContributionClaim,
  ContributionDoor,
  ContributionReceiver,
  ContributionRefusal,
} from '../../lambda/live/contribution.ts';
import type { ListenerLimits } from '../../lambda/live/listener-limits.ts';
import { openRtmpListener } from '../../lambda/live/rtmp-listener.ts';
import type { RtmpListener, RtmpListenerOptions } from '../../lambda/live/rtmp-listener.ts';
import type { Amf0Input } from '../../lambda/publisher/rtmp/amf0.ts';
import { ChunkReader } from '../../lambda/publisher/rtmp/chunk-reader.ts';
import { ChunkWriter } from '../../lambda/publisher/rtmp/chunk-writer.ts';
import { commandMessage, readCommand } from '../../lambda/publisher/rtmp/command.ts';
import type { RtmpCommand } from '../../lambda/publisher/rtmp/command.ts';
import { fromPublisher } from '../../lambda/publisher/rtmp/inbound-limits.ts';
import type { RtmpMessage } from '../../lambda/publisher/rtmp/message.ts';
import { greeting, handshakeBytes } from './greeting.ts';

export const goodKey = 'good-key-of-a-contributor';
/** The key of a user who has as many contributors as one may have. */
export const keyWithoutPlace = 'key-of-a-contributor-without-a-place';
/** The key of a user who is not funded, while all of these have as many contributors as they may have together. */
export const keyWithoutPart = 'key-of-a-contributor-without-a-part';
/** The key of an input whose stream is too large for the ingest. */
export const keyOfLargeStream = 'key-of-large-stream';
/** The key of an input whose contributors came and went. */
export const keyOfRestingInput = 'key-of-a-resting-input';
export const unwantedKey = 'key-of-a-contributor-who-is-not-wanted';

export class RecordedContribution implements ContributionReceiver {
  readonly claim: ContributionClaim;
  readonly disconnect: () => void;
  readonly tags: ContributedTag[] = [];
  bytesWaiting = 0;
  ends = 0;
  isLost = false;

  constructor(claim: ContributionClaim, disconnect: () => void) {
    this.claim = claim;
    this.disconnect = disconnect;
  }

  receive(tag: ContributedTag): void {
    this.tags.push(tag);
  }

  ended({ isLost }: { readonly isLost: boolean }): void {
    this.ends++;
    this.isLost = isLost;
  }
}

export class RecordingDoor implements ContributionDoor {
  readonly claims: ContributionClaim[] = [];
  readonly contributions: RecordedContribution[] = [];
  /** The passphrase of the input. */
  passphrase: string | null = null;
  /** Awaited before each answer. */
  before: () => Promise<void> = () => Promise.resolve();

  async admit(claim: ContributionClaim, disconnect: () => void): Promise<ContributionReceiver | ContributionRefusal> {
    this.claims.push(claim);
    await this.before();
    if (claim.key === keyWithoutPlace) return 'share_used';
    if (claim.key === keyWithoutPart) return 'unfunded_share_used';
    if (claim.key === keyOfLargeStream) return 'too_demanding';
    if (claim.key === keyOfRestingInput) return 'resting';
    if (claim.key === unwantedKey) return 'not_wanted';
    if (claim.key !== goodKey) return 'unknown_key';
    const fault = await claim.encryption?.faultFor(this.passphrase);
    if (fault) return fault;
    const contribution = new RecordedContribution(claim, disconnect);
    this.contributions.push(contribution);
    return contribution;
  }
}

export interface LoggedEvent {
  readonly event: string;
  readonly [field: string]: unknown;
}

export interface TestListener {
  readonly listener: RtmpListener;
  readonly door: RecordingDoor;
  readonly events: LoggedEvent[];
}

/** Opens a listener that is closed at the end of the test. */
export async function testListener(
  limits: Partial<ListenerLimits> = {},
  more: Partial<RtmpListenerOptions> = {},
): Promise<TestListener> {
  const door = new RecordingDoor();
  const events: LoggedEvent[] = [];
  const listener = await openRtmpListener({
    door,
    port: 0,
    tls: null,
    proxyProtocol: false,
    limits,
    log: (event, fields) => events.push({ event, ...fields }),
    steadyClock: () => performance.now(),
    ...more,
  });
  onTestFinished(() => listener.close());
  return { listener, door, events };
}

/** A client that writes bytes, and reads the answers as commands. */
export class RawClient {
  readonly socket: Socket;
  readonly writer = new ChunkWriter();
  readonly answers: RtmpCommand[] = [];
  /** Resolves with the time between the connection and its end, in milliseconds. */
  readonly ended: Promise<number>;
  readonly #reader = new ChunkReader(fromPublisher);
  #handshakeBytesLeft = handshakeBytes.length;

  private constructor(socket: Socket) {
    this.socket = socket;
    const startedAtMs = performance.now();
    this.ended = new Promise((resolve) => {
      socket.once('close', () => resolve(performance.now() - startedAtMs));
    });
    socket.on('error', () => {});
    socket.on('data', (data) => this.#receive(data));
  }

  static async open(port: number, localAddress = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
    const client = new RawClient(socket);
    onTestFinished(() => void socket.destroy());
    await Promise.race([once(socket, 'connect'), client.ended]);
    return client;
  }

  send(...messages: readonly RtmpMessage[]): void {
    this.socket.write(this.writer.write(messages));
  }

  command(streamID: number, name: string, transactionID: number, ...values: Amf0Input[]): void {
    this.send(commandMessage(streamID, name, transactionID, ...values));
  }

  /** Greets and publishes. */
  publish(key: string): void {
    this.socket.write(greeting(key, this.writer));
  }

  statusCodes(): unknown[] {
    return this.answers.flatMap(({ name, values }) => {
      const info = values[1];
      return name === 'onStatus' && typeof info === 'object' && info && 'code' in info ? [info['code']] : [];
    });
  }

  #receive(data: Buffer): void {
    const skipped = Math.min(this.#handshakeBytesLeft, data.length);
    this.#handshakeBytesLeft -= skipped;
    for (const message of this.#reader.read(data.subarray(skipped))) {
      const command = readCommand(message);
      if (command) this.answers.push(command);
    }
  }
}

/** A client that has been admitted. */
export async function admitted({ listener, door }: TestListener, localAddress?: string): Promise<AdmittedClient> {
  const client = await RawClient.open(listener.port, localAddress);
  const before = door.contributions.length;
  client.publish(goodKey);
  while (door.contributions.length === before) await once(client.socket, 'data');
  return { client, contribution: door.contributions[before]! };
}

export interface AdmittedClient {
  readonly client: RawClient;
  readonly contribution: RecordedContribution;
}
