// Sends media over an SRT connection: evenly, with lost packets repeated, and with a count of the bytes that arrived.
import type { Socket } from 'node:dgram';
import { setTimeout } from 'node:timers/promises';
import { DestinationError } from '../destination/destination-error.ts';
import type { Call } from './call.ts';
import { InboundPackets } from './inbound-packets.ts';
import type { ControlPacket } from './packet.ts';
import {
  controlPacket,
  controlType,
  dataPacket,
  maxPayloadBytes,
  nextMessage,
  nextSequence,
  readControlPacket,
  readLosses,
  stepsBetween,
} from './packet.ts';
import { SentPackets } from './sent-packets.ts';

const tickMs = 10;
const keepAliveAfterMs = 1000;
/** A listener acknowledges 100 times a second, and sends a sign of life each second. */
const silentAfterMs = 5000;
const closeTimeoutMs = 500;
/** Listeners deliver media after the latency and the delay of the network. */
const handedOnAfterMs = 100;
/** Media given at once is spread over this time: systems and networks have small buffers for UDP. */
const spreadMs = 200;
/** Lost packets sent again per tick, at most. `resendReserve` limits them over a longer time. */
const mostResentInTick = 64;
/** Packets that may be sent again beyond the number of new packets sent. */
const resendReserve = 1000;
/** Ranges that are read from a report: no packet has room for more. */
const mostLosses = 400;

interface Waiting {
  readonly payload: Buffer;
  readonly dueMs: number;
  readonly mediaEnd: number;
}

export interface SrtConnectionOptions {
  readonly call: Call;
  readonly latencyMs: number;
  /** Called before every packet. If it returns false, the connection ends at once, without another byte. */
  readonly maySend: () => boolean;
}

/**
 * States, in this order:
 * - open: from the constructor, as `call` has agreed on the connection before. Media is taken and sent.
 * - closing: after `close`. No media is taken; waiting packets are sent, and lost packets repeated, for 500 ms at most.
 * - ended: after that time, or once the listener is silent for 5 s, sends too much or shuts down, the socket fails, or
 *   `maySend` returns false. Nothing more is sent, and `ended` resolves.
 */
export class SrtConnection {
  /** Resolves when the socket is closed, with null if we have ended the connection. It never rejects. */
  readonly ended: Promise<DestinationError | null>;
  readonly #socket: Socket;
  readonly #options: SrtConnectionOptions;
  readonly #sent: SentPackets;
  readonly #inbound = new InboundPackets();
  readonly #ending = Promise.withResolvers<DestinationError | null>();
  #waiting: Waiting[] = [];
  /** Sequence numbers of packets to send again. */
  readonly #lost = new Set<number>();
  #sequence: number;
  #message = 1;
  #mediaBytes = 0;
  #queuedAtMs = -Infinity;
  #sentAtMs = performance.now();
  #heardAtMs = performance.now();
  #acknowledgedAtMs = performance.now();
  /** Packets that may still be sent again. It grows by one with each new packet. */
  #mayResend = resendReserve;
  #isOpen = true;
  #takesMedia = true;
  readonly #ticking: NodeJS.Timeout;

  constructor(socket: Socket, options: SrtConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#sequence = options.call.firstSequence;
    // A listener drops packets after the latency. The sender keeps them a little longer.
    this.#sent = new SentPackets(Math.max(1000, 1.25 * options.latencyMs));
    this.ended = this.#ending.promise;
    socket.on('message', (datagram: Buffer) => this.#receive(datagram));
    socket.on('error', (error) => this.#end(new DestinationError('connection_lost', error)));
    this.#ticking = setInterval(() => this.#tick(performance.now()), tickMs);
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#takesMedia;
  }

  /** Bytes of media that the listener has received. */
  get mediaAcknowledged(): number {
    return this.#sent.mediaAcknowledged;
  }

  get acknowledgedAgoMs(): number {
    return performance.now() - this.#acknowledgedAtMs;
  }

  /** Sends packets of a transport stream, evenly over a short time. */
  send(packets: readonly Buffer[]): void {
    if (!this.isOpen || packets.length === 0) return;
    const media = Buffer.concat(packets);
    const nowMs = performance.now();
    const lastDueMs = this.#waiting.at(-1)?.dueMs ?? nowMs;
    const startMs = Math.max(nowMs, lastDueMs);
    // If packets already wait, the new ones follow at once, so that the delay does not grow.
    const overMs = startMs - nowMs > spreadMs ? 0 : Math.min(spreadMs, nowMs - this.#queuedAtMs);
    this.#queuedAtMs = nowMs;
    const count = Math.ceil(media.length / maxPayloadBytes);
    for (let index = 0; index < count; index++) {
      const payload = media.subarray(index * maxPayloadBytes, (index + 1) * maxPayloadBytes);
      this.#mediaBytes += payload.length;
      this.#waiting.push({ payload, dueMs: startMs + (overMs * index) / count, mediaEnd: this.#mediaBytes });
    }
    this.#tick(nowMs);
  }

  /**
   * Sends the waiting packets and closes the socket, within 500 ms. On a shutdown, a listener drops media that it has
   * not delivered. So the shutdown is sent after the latency and a little more, if the time allows.
   */
  async close(): Promise<void> {
    this.#takesMedia = false;
    const waitMs =
      (this.#waiting.at(-1)?.dueMs ?? performance.now()) -
      performance.now() +
      this.#options.latencyMs +
      handedOnAfterMs;
    await Promise.race([this.ended, setTimeout(Math.min(Math.max(0, waitMs), closeTimeoutMs))]);
    if (!this.#isOpen) return;
    this.#sendControl(controlType.shutdown);
    this.#end(null);
  }

  #tick(nowMs: number): void {
    if (!this.#isOpen) return;
    if (nowMs - this.#heardAtMs > silentAfterMs) return this.#end(new DestinationError('connection_lost'));
    this.#resend(nowMs);
    let due = 0;
    while (due < this.#waiting.length && this.#waiting[due]!.dueMs <= nowMs && this.#hasRoom(due)) due++;
    for (const waiting of this.#waiting.splice(0, due)) this.#sendData(waiting, nowMs);
    this.#sent.forgetLate(nowMs);
    if (nowMs - this.#sentAtMs > keepAliveAfterMs) this.#sendControl(controlType.keepAlive);
  }

  /** True if the listener has room for this many more packets, beside those on their way. */
  #hasRoom(more: number): boolean {
    return this.#sent.count + more < this.#options.call.flowWindow;
  }

  #sendData({ payload, dueMs, mediaEnd }: Waiting, nowMs: number): void {
    const { cipher, destinationID, beganAtMs } = this.#options.call;
    const sequence = this.#sequence;
    const packet = dataPacket(
      {
        sequence,
        message: this.#message,
        isEncrypted: cipher !== null,
        timestampUs: Math.floor((dueMs - beganAtMs) * 1000),
        destinationID,
      },
      cipher ? cipher.encrypt(payload, sequence) : payload,
    );
    this.#sequence = nextSequence(sequence);
    this.#message = nextMessage(this.#message);
    this.#sent.add(sequence, packet, mediaEnd, nowMs);
    this.#mayResend = Math.min(this.#mayResend + 1, resendReserve);
    this.#write(packet);
  }

  #resend(nowMs: number): void {
    let resent = 0;
    for (const sequence of this.#lost) {
      if (resent >= Math.min(mostResentInTick, this.#mayResend)) break;
      this.#lost.delete(sequence);
      const packet = this.#sent.toResend(sequence, nowMs);
      if (!packet) continue;
      resent++;
      this.#write(packet);
    }
    this.#mayResend -= resent;
  }

  #receive(datagram: Buffer): void {
    const nowMs = performance.now();
    if (!this.#inbound.take(nowMs)) return this.#end(new DestinationError('protocol_violated'));
    const packet = readControlPacket(datagram);
    if (packet?.destinationID !== this.#options.call.socketID) return;
    this.#heardAtMs = nowMs;
    if (packet.type === controlType.acknowledgement) this.#acknowledged(packet, nowMs);
    else if (packet.type === controlType.lossReport) this.#recordLosses(packet);
    else if (packet.type === controlType.shutdown) this.#end(new DestinationError('ended_by_destination'));
  }

  #acknowledged({ info, payload }: ControlPacket, nowMs: number): void {
    if (payload.length < 4) return;
    const before = payload.readUInt32BE(0);
    const isSent = stepsBetween(before, this.#sequence) >= 0;
    if (isSent && this.#sent.acknowledge(before)) this.#acknowledgedAtMs = nowMs;
    // A light acknowledgement has no number, and expects no answer.
    if (info !== 0) this.#sendControl(controlType.acknowledgementOfAcknowledgement, info);
  }

  #recordLosses({ payload }: ControlPacket): void {
    const { oldest } = this.#sent;
    if (oldest === null) return;
    // A report may name billions of packets. We look for as many as are on their way.
    let left = this.#sent.count;
    for (const [first, last] of readLosses(payload, mostLosses)) {
      const from = stepsBetween(first, oldest) > 0 ? oldest : first;
      const steps = Math.min(stepsBetween(from, last), stepsBetween(from, this.#sequence) - 1);
      for (let step = 0; step <= steps && left > 0; step++, left--) {
        const sequence = nextSequence(from, step);
        if (this.#sent.has(sequence)) this.#lost.add(sequence);
      }
    }
  }

  #sendControl(type: number, info = 0): void {
    const { destinationID, beganAtMs } = this.#options.call;
    const timestampUs = Math.floor((performance.now() - beganAtMs) * 1000);
    this.#write(controlPacket(type, { info, timestampUs, destinationID }));
  }

  #write(packet: Buffer): void {
    if (!this.#isOpen) return;
    if (!this.#options.maySend()) return this.#end(null);
    this.#sentAtMs = performance.now();
    this.#socket.send(packet);
  }

  #end(error: DestinationError | null): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearInterval(this.#ticking);
    this.#waiting = [];
    // The socket sends its last packets before it closes.
    this.#socket.close(() => this.#ending.resolve(error));
  }
}
