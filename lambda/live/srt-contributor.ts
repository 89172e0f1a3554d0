// The listener's side of one contributor's SRT connection: packets in order, reports to the caller, and tags.
import { InboundAllowance } from '../publisher/rtmp/inbound-limits.ts';
import { extensionType } from '../publisher/srt/handshake.ts';
import { controlPacket, controlType, headerBytes, readControlPacket } from '../publisher/srt/packet.ts';
import type { ControlPacket } from '../publisher/srt/packet.ts';
import { Acknowledgements } from './acknowledgements.ts';
import type { ContributedTag, ContributionReceiver } from './contribution.ts';
import { isLoss } from './contributor-host.ts';
import type { ConnectionEndReason, ContributorHost } from './contributor-host.ts';
import { ReceiveBuffer } from './receive-buffer.ts';
import type { Gap } from './receive-buffer.ts';
import type { SrtDecryption } from './srt-decryption.ts';
import { TsDemuxer } from './ts-demuxer.ts';

const acknowledgeEveryMs = 10;
/** Packets that are acknowledged at once, without waiting for that time. */
const packetsPerLightAcknowledgement = 64;
/** A caller that hears nothing for a few seconds takes the connection for lost. */
const keepAliveAfterMs = 1000;
/** A caller sends a sign of life each second. */
const lostAfterMs = 5000;
/** Gaps in one report: with 8 bytes for each, it fits into a packet. */
const mostGapsInReport = 180;
const rangeBit = 0x8000_0000;
/** The two bits of a packet that name the key of its encryption, and their shift. */
const [keyBits, keyShift] = [0x3, 27];
/** Keys by those bits. No packet is encrypted by both. */
const keyNames = [null, 'even', 'odd', undefined] as const;

export interface SrtContributorOptions {
  readonly receiver: ContributionReceiver;
  readonly host: Pick<ContributorHost, 'limits' | 'steadyClock' | 'mostWaitingBytes'>;
  /** Null: the caller does not encrypt. */
  readonly decryption: SrtDecryption | null;
  readonly firstSequence: number;
  /** The number of the caller's socket. */
  readonly destinationID: number;
  readonly latencyMs: number;
  /** Sends a datagram to the caller. */
  readonly send: (datagram: Buffer) => void;
}

/** Serves one connection that was admitted. The listener calls `check` every 10 ms. */
export class SrtContributor {
  /** Resolves with the reason once the receiver knows of the end; never rejects. */
  readonly over: Promise<ConnectionEndReason>;
  readonly #options: SrtContributorOptions;
  readonly #ending = Promise.withResolvers<ConnectionEndReason>();
  readonly #allowance: InboundAllowance;
  readonly #buffer: ReceiveBuffer;
  readonly #demuxer: TsDemuxer;
  readonly #acknowledgements = new Acknowledgements();
  readonly #beganAtMs: number;
  #nowMs: number;
  #heardAtMs: number;
  #mediaAtMs: number;
  #sentAtMs: number;
  #acknowledgedAtMs = -Infinity;
  #reportedAtMs = -Infinity;
  #packetsSinceAcknowledgement = 0;
  /** Time since which media is dropped because the receiver has too much waiting; null while it is passed on. */
  #fullSinceMs: number | null = null;
  #isOver = false;

  constructor(options: SrtContributorOptions) {
    const { firstSequence, latencyMs, host } = options;
    this.#options = options;
    this.over = this.#ending.promise;
    const nowMs = host.steadyClock();
    this.#beganAtMs = nowMs;
    this.#nowMs = nowMs;
    this.#heardAtMs = nowMs;
    this.#mediaAtMs = nowMs;
    this.#sentAtMs = nowMs;
    this.#allowance = new InboundAllowance(host.limits.afterKey.rates!, nowMs);
    this.#demuxer = new TsDemuxer((tag) => this.#deliver(tag));
    this.#buffer = new ReceiveBuffer(firstSequence, latencyMs, {
      receive: (payload) => this.#pass(payload),
      lost: () => this.#demuxer.lost(),
    });
  }

  get incompleteBytes(): number {
    return this.#isOver ? 0 : this.#buffer.heldBytes + this.#demuxer.incompleteBytes;
  }

  /** Reads one datagram of the caller. */
  receive(datagram: Buffer, nowMs: number): void {
    if (this.#isOver || datagram.length < headerBytes) return;
    this.#nowMs = nowMs;
    if (!this.#mayReceive(datagram.length)) return this.end('protocol');
    this.#heardAtMs = nowMs;
    const control = readControlPacket(datagram);
    if (control) this.#obey(control);
    else this.#takeData(datagram);
  }

  /** Reports to the caller, gives up what is too late, and ends a connection that is silent. */
  check(nowMs: number): void {
    if (this.#isOver) return;
    this.#nowMs = nowMs;
    const { mostSilentSeconds, mostPausedSeconds } = this.#options.host.limits;
    if (nowMs - this.#heardAtMs > lostAfterMs) return this.end('connection_lost');
    this.#buffer.check(nowMs);
    if (this.#fullSinceMs === null && nowMs - this.#mediaAtMs > 1000 * mostSilentSeconds) return this.end('silent');
    if (this.#fullSinceMs !== null && nowMs - this.#fullSinceMs > 1000 * mostPausedSeconds)
      return this.end('paused_too_long');
    if (nowMs - this.#acknowledgedAtMs >= acknowledgeEveryMs) this.#acknowledge();
    if (nowMs - this.#reportedAtMs >= this.#acknowledgements.reportEveryMs) this.#report(this.#buffer.gaps);
    if (nowMs - this.#sentAtMs >= keepAliveAfterMs) this.#send(controlType.keepAlive);
  }

  /** Ends the connection at once. The first reason stays. */
  end(reason: ConnectionEndReason): void {
    if (this.#isOver) return;
    // Media that has arrived is passed on, whichever side ends the connection.
    this.#buffer.end();
    this.#demuxer.end();
    // The receiver may have ended the connection by now.
    if (this.#isOver) return;
    if (reason !== 'left') this.#send(controlType.shutdown);
    this.#isOver = true;
    this.#options.receiver.ended({ isLost: isLoss(reason) });
    this.#ending.resolve(reason);
  }

  #mayReceive(bytes: number): boolean {
    try {
      return this.#allowance.take(bytes, this.#nowMs, 0) >= 0;
    } catch {
      return false;
    }
  }

  #takeData(datagram: Buffer): void {
    const sequence = datagram.readUInt32BE(0);
    const payload = this.#decrypted(datagram, sequence);
    // A packet that cannot be read is taken for lost: it may come again after its key.
    if (!payload) return;
    const gap = this.#buffer.take(sequence, payload, this.#nowMs);
    if (gap) this.#report([gap]);
    if (++this.#packetsSinceAcknowledgement < packetsPerLightAcknowledgement) return;
    this.#packetsSinceAcknowledgement = 0;
    const acknowledged = Buffer.alloc(4);
    acknowledged.writeUInt32BE(this.#buffer.next);
    this.#send(controlType.acknowledgement, { payload: acknowledged });
  }

  /** @returns null if it is not encrypted as the handshake said, or by a key that is not known */
  #decrypted(datagram: Buffer, sequence: number): Buffer | null {
    const { decryption } = this.#options;
    const payload = datagram.subarray(headerBytes);
    const name = keyNames[(datagram.readUInt32BE(4) >>> keyShift) & keyBits];
    if (!decryption) return name === null ? payload : null;
    return name ? decryption.decrypt(payload, sequence, name) : null;
  }

  /** Takes further keys. The answer repeats them; without one, the caller asks again. */
  #refreshKeys(material: Buffer): void {
    if (this.#options.decryption?.refresh(material))
      this.#send(controlType.extension, { subtype: extensionType.keyResponse, payload: material });
  }

  #obey({ type, subtype, info, payload }: ControlPacket): void {
    if (type === controlType.acknowledgementOfAcknowledgement) this.#acknowledgements.answered(info, this.#nowMs);
    else if (type === controlType.shutdown) this.end('left');
    else if (type === controlType.dropRequest && payload.length >= 8)
      this.#buffer.drop(payload.readUInt32BE(0), payload.readUInt32BE(4));
    else if (type === controlType.extension && subtype === extensionType.keyRequest) this.#refreshKeys(payload);
  }

  /** Passes bytes of the stream on. A live contribution does not wait for a receiver that is behind: it is cut. */
  #pass(payload: Buffer): void {
    const { receiver, host } = this.#options;
    if (receiver.bytesWaiting <= host.mostWaitingBytes()) {
      if (this.#fullSinceMs !== null) this.#demuxer.lost();
      this.#fullSinceMs = null;
      this.#demuxer.write(payload);
    } else this.#fullSinceMs ??= this.#nowMs;
  }

  #deliver(tag: ContributedTag): void {
    if (this.#isOver) return;
    this.#mediaAtMs = this.#nowMs;
    this.#allowance.brought(1);
    this.#options.receiver.receive(tag);
  }

  #acknowledge(): void {
    const { next, room } = this.#buffer;
    const due = this.#acknowledgements.due(next, room, this.#nowMs);
    if (!due) return;
    this.#acknowledgedAtMs = this.#nowMs;
    this.#packetsSinceAcknowledgement = 0;
    this.#send(controlType.acknowledgement, { info: due.number, payload: due.payload });
  }

  #report(gaps: readonly Gap[]): void {
    if (gaps.length === 0) return;
    if (gaps === this.#buffer.gaps) this.#reportedAtMs = this.#nowMs;
    const words = gaps
      .slice(0, mostGapsInReport)
      .flatMap(([first, last]) => (first === last ? [first] : [(first | rangeBit) >>> 0, last]));
    const payload = Buffer.alloc(4 * words.length);
    for (const [index, word] of words.entries()) payload.writeUInt32BE(word, 4 * index);
    this.#send(controlType.lossReport, { payload });
  }

  #send(
    type: number,
    { payload, ...more }: { readonly subtype?: number; readonly info?: number; readonly payload?: Buffer } = {},
  ): void {
    if (this.#isOver) return;
    this.#sentAtMs = this.#nowMs;
    const { destinationID } = this.#options;
    const timestampUs = Math.max(0, Math.floor((this.#nowMs - this.#beganAtMs) * 1000));
    this.#options.send(controlPacket(type, { ...more, timestampUs, destinationID }, payload));
  }
}
