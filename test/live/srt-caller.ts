// An SRT listener for contributors on loopback, and callers that send it any datagrams.
import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { ListenerLimits } from '../../lambda/live/listener-limits.ts';
import { openSrtListener } from '../../lambda/live/srt-listener.ts';
import type { SrtListener, SrtListenerOptions } from '../../lambda/live/srt-listener.ts';
import { conclusion, induction, readHandshake } from '../../lambda/publisher/srt/handshake.ts';
import type { HandshakeAnswer } from '../../lambda/publisher/srt/handshake.ts';
import { controlPacket, controlType, dataPacket, readControlPacket } from '../../lambda/publisher/srt/packet.ts';
import type { ControlPacket } from '../../lambda/publisher/srt/packet.ts';
import { goodKey, RecordingDoor } from './test-listener.ts';
import type { LoggedEvent, RecordedContribution } from './test-listener.ts';

export interface TestSrtListener {
  readonly listener: SrtListener;
  readonly door: RecordingDoor;
  readonly events: LoggedEvent[];
}

/** Opens a listener that is closed at the end of the test. */
export async function testSrtListener(
  limits: Partial<ListenerLimits> = {},
  more: Partial<SrtListenerOptions> = {},
): Promise<TestSrtListener> {
  const door = new RecordingDoor();
  const events: LoggedEvent[] = [];
  const listener = await openSrtListener({
    door,
    port: 0,
    limits,
    log: (event, fields) => events.push({ event, ...fields }),
    steadyClock: () => performance.now(),
    ...more,
  });
  onTestFinished(() => listener.close());
  return { listener, door, events };
}

export const firstSequence = 0x7fff_fffe;
const socketID = 77;

export interface Wish {
  readonly streamID: string | null;
  readonly latencyMs?: number;
  readonly keyMaterial?: Buffer | null;
}

/** A caller whose datagrams the test makes. */
export class RawCaller {
  readonly socket: Socket;
  readonly answers: HandshakeAnswer[] = [];
  /** The listener's datagrams, without handshakes. */
  readonly reports: ControlPacket[] = [];
  bytesReceived = 0;
  bytesSent = 0;
  /** The number of the listener's socket for this caller. */
  destinationID = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('message', (datagram: Buffer) => this.#receive(datagram));
  }

  static async open(port: number, localAddress = '127.0.0.1'): Promise<RawCaller> {
    const socket = createSocket('udp4');
    socket.bind(0, localAddress);
    await once(socket, 'listening');
    socket.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    onTestFinished(() => void socket.close());
    return new RawCaller(socket);
  }

  send(datagram: Buffer): void {
    this.bytesSent += datagram.length;
    this.socket.send(datagram);
  }

  control(type: number, info = 0, payload?: Buffer): void {
    this.send(controlPacket(type, { info, timestampUs: 0, destinationID: this.destinationID }, payload));
  }

  data(sequence: number, payload: Buffer): void {
    const header = { message: 1, isEncrypted: false, timestampUs: 0, destinationID: this.destinationID };
    this.send(dataPacket({ sequence, ...header }, payload));
  }

  handshake(payload: Buffer): void {
    this.send(controlPacket(controlType.handshake, { timestampUs: 0, destinationID: 0 }, payload));
  }

  /** The listener's answer to a datagram. */
  async answered(payload: Buffer): Promise<HandshakeAnswer> {
    const before = this.answers.length;
    this.handshake(payload);
    while (this.answers.length === before) await once(this.socket, 'message');
    return this.answers[before]!;
  }

  async cookie(): Promise<number> {
    return (await this.answered(induction(this.#caller({ streamID: null })))).cookie;
  }

  async call(wish: Wish): Promise<HandshakeAnswer> {
    const answer = await this.answered(this.conclusion(wish, await this.cookie()));
    if (answer.refusal === null) this.destinationID = answer.socketID;
    return answer;
  }

  conclusion(wish: Wish, cookie: number): Buffer {
    return conclusion(this.#caller(wish), cookie, wish.keyMaterial ?? null, 16);
  }

  /** Reports of one type. */
  ofType(type: number): ControlPacket[] {
    return this.reports.filter((report) => report.type === type);
  }

  #caller({ streamID, latencyMs = 120 }: Wish) {
    return { socketID, firstSequence, latencyMs, streamID };
  }

  #receive(datagram: Buffer): void {
    this.bytesReceived += datagram.length;
    const packet = readControlPacket(datagram)!;
    if (packet.type !== controlType.handshake) return void this.reports.push(packet);
    this.answers.push(readHandshake(packet.payload)!);
  }
}

/** A caller that has been admitted. */
export async function calling(
  { listener, door }: TestSrtListener,
  wish: Partial<Wish> = {},
): Promise<{ readonly caller: RawCaller; readonly contribution: RecordedContribution }> {
  const caller = await RawCaller.open(listener.port);
  await caller.call({ streamID: goodKey, ...wish });
  return { caller, contribution: door.contributions.at(-1)! };
}
