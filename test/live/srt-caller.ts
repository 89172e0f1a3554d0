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
import type { KeyBytes } from '../../lambda/publisher/srt/key-material.ts';
import {
  controlPacket,
  controlType,
  dataPacket,
  nextSequence,
  readControlPacket,
} from '../../lambda/publisher/srt/packet.ts';
import type { ControlPacket } from '../../lambda/publisher/srt/packet.ts';
import { packetize, pesPacket } from '../../lambda/publisher/transport-stream/packets.ts';
import { ProgramTables, videoPid } from '../../lambda/publisher/transport-stream/program-tables.ts';
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
  /** By default 16. */
  readonly keyBytes?: KeyBytes;
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

  /** @param keyBits the key that encrypts the payload: 0 for none, 1 for the even one, 2 for the odd one */
  data(sequence: number, payload: Buffer, keyBits = 0): void {
    const header = { message: 1, isEncrypted: false, timestampUs: 0, destinationID: this.destinationID };
    const packet = dataPacket({ sequence, ...header }, payload);
    packet.writeUInt32BE(packet.readUInt32BE(4) + keyBits * 0x0800_0000, 4);
    this.send(packet);
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
    return conclusion(this.#caller(wish), cookie, wish.keyMaterial ?? null, wish.keyBytes ?? 16);
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

const quiet = { clock: null, isRandomAccess: false };
/** Reads the reasons of the events so far. */
export const loggedReasons =
  ({ events }: TestSrtListener) =>
  () =>
    events.map(({ reason }) => reason);

/** One picture in each piece; the first has the tables and a keyframe. */
export function pictures(count: number): Buffer[] {
  const stream = { pid: videoPid, next: 0 };
  const sets = Buffer.from('000000016742c01eda0280f60000000168ce3c80', 'hex');
  return Array.from({ length: count }, (_, index) => {
    const units =
      index === 0 ? [sets, Buffer.from('0000000165888888', 'hex')] : [Buffer.from('00000001419a8888', 'hex')];
    const time = { pts: 3600 * index, dts: 3600 * index };
    const picture = packetize(stream, pesPacket('video', time, units), quiet);
    return index === 0 ? Buffer.concat([new ProgramTables('h264').packets(), picture]) : picture;
  });
}

export const sequenceAt = (index: number) => nextSequence(firstSequence, index);
/** The times of pictures, from the first one on. */
export const timesOf = ({ tags }: { tags: readonly { body: Buffer; timestampMs: number }[] }) => {
  const shown = tags.filter(({ body }) => body[1] === 1).map(({ timestampMs }) => timestampMs);
  return shown.map((time) => time - shown[0]!);
};
