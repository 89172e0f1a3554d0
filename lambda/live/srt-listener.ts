// The listener to which contributors push SRT: it proves their addresses, counts them, and asks the door about keys.
import { createSocket } from 'node:dgram';
import type { RemoteInfo, Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { Log } from '../log.ts';
import { controlPacket, controlType, headerBytes, readControlPacket } from '../publisher/srt/packet.ts';
import { AddressDelays } from './address-delays.ts';
import type { ContributionDoor, ContributionReceiver } from './contribution.ts';
import { addressGroup, peerAddress } from './contributor-address.ts';
import type { ConnectionEndReason } from './contributor-host.ts';
import { KeyAdmission } from './key-admission.ts';
import { listenerLimits } from './listener-limits.ts';
import type { ListenerLimits } from './listener-limits.ts';
import { roomMaker } from './room-makers.ts';
import { RefusalLog } from './refusal-log.ts';
import type { RefusalReason } from './refusal-log.ts';
import type { ListenerFigures } from './rtmp-listener.ts';
import { SrtContributor } from './srt-contributor.ts';
import { CallerEncryption } from './srt-decryption.ts';
import { conclusionAnswer, inductionAnswer, readCallerHandshake, refusalAnswer } from './srt-handshake.ts';
import type { Conclusion, RefusalName } from './srt-handshake.ts';
import { parseStreamID } from './stream-id.ts';
import { SrtVisitors } from './srt-visitors.ts';
import type { Visitor } from './srt-visitors.ts';
import { SynCookies } from './syn-cookies.ts';

const checkEveryMs = 10;
/** Packets wait here while the process does something else; systems may allow less. */
const receiveBufferBytes = 4 * 1024 * 1024;
const latency = { leastMs: 120, mostMs: 4000 } as const;

/** Names in our log for faults of a handshake. */
const reasonOf: Readonly<Partial<Record<RefusalName, RefusalReason>>> = {
  badStreamID: 'bad_stream_id',
  wrongMode: 'bad_stream_id',
};

/** Reasons that contributors with a valid key learn. */
const answerTo: Readonly<Partial<Record<RefusalReason, RefusalName>>> = {
  share_used: 'overload',
  unfunded_share_used: 'overload',
  too_demanding: 'overload',
  resting: 'overload',
  wrong_passphrase: 'badPassphrase',
  unencrypted: 'unencrypted',
  encrypted: 'unencrypted',
};

/** Ends of contributors who did what no encoder does. */
const violations: ReadonlySet<ConnectionEndReason> = new Set(['protocol', 'too_much_incomplete']);

export interface SrtListenerOptions {
  readonly door: ContributionDoor;
  /** 0 for any free port. */
  readonly port: number;
  /** Address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
  readonly limits?: Partial<ListenerLimits>;
  /** Delays that are shared with other listeners; its own by default. */
  readonly delays?: AddressDelays;
  readonly log: Log;
  /** Milliseconds that never go back. */
  readonly steadyClock: () => number;
}

export interface SrtListener {
  readonly port: number;
  figures(): ListenerFigures;
  /** Disconnects all contributors. Resolves when their receivers know of the end. */
  close(): Promise<void>;
}

/** @throws the system's error, with the code EADDRINUSE if the port is taken */
export async function openSrtListener(options: SrtListenerOptions): Promise<SrtListener> {
  const listener = new Listener(options);
  await listener.listen();
  return listener;
}

class Listener implements SrtListener {
  readonly #options: SrtListenerOptions;
  readonly #limits: ListenerLimits;
  readonly #socket: Socket;
  readonly #cookies = new SynCookies();
  readonly #delays: AddressDelays;
  readonly #admission: KeyAdmission;
  readonly #refusals: RefusalLog;
  readonly #visitors = new SrtVisitors();
  #checking: NodeJS.Timeout | undefined;
  #closed: Promise<void> | null = null;
  #contributing = 0;
  #admitted = 0;

  constructor(options: SrtListenerOptions) {
    this.#options = options;
    this.#limits = { ...listenerLimits, ...options.limits };
    this.#delays = options.delays ?? new AddressDelays(this.#limits);
    this.#admission = new KeyAdmission({ ...options, limits: this.#limits, delays: this.#delays });
    this.#refusals = new RefusalLog(options.log, this.#limits.refusalsLoggedPerMinute);
    const type = isIPv6(options.host ?? '') ? 'udp6' : 'udp4';
    this.#socket = createSocket({ type, recvBufferSize: receiveBufferBytes });
  }

  get port(): number {
    return this.#socket.address().port;
  }

  async listen(): Promise<void> {
    this.#socket.bind(this.#options.port, this.#options.host ?? '127.0.0.1');
    await once(this.#socket, 'listening').catch((error: unknown) => {
      this.#socket.close();
      throw error;
    });
    this.#socket.on('error', (error) => this.#options.log('contributor_listener_failed', { error }));
    this.#socket.on('message', (datagram, remote) => this.#receive(datagram, remote));
    this.#checking = setInterval(() => this.#check(this.#options.steadyClock()), checkEveryMs);
  }

  figures(): ListenerFigures {
    const contributors = this.#visitors.contributors();
    return {
      connections: this.#visitors.count,
      contributing: contributors.length,
      admitted: this.#admitted,
      refused: this.#refusals.count,
      refusedByReason: this.#refusals.countsByReason(),
      incompleteBytes: contributors.reduce((sum, { incompleteBytes }) => sum + incompleteBytes, 0),
    };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearInterval(this.#checking);
    const contributors = this.#visitors.contributors();
    for (const contributor of contributors) contributor.end('listener_closed');
    // A door that still decides then has its receiver ended.
    for (const visitor of this.#visitors.all()) this.#visitors.forget(visitor);
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await Promise.all([closed, ...contributors.map(({ over }) => over)]);
  }

  #receive(datagram: Buffer, remote: RemoteInfo): void {
    if (datagram.length < headerBytes || remote.port === 0) return;
    const socketID = datagram.readUInt32BE(12);
    if (socketID === 0) return this.#greet(datagram, remote);
    this.#visitors.bySocket(socketID, remote)?.contributor?.receive(datagram, this.#options.steadyClock());
  }

  /** Answers a handshake. No answer is larger than its request, and no state is kept before the cookie has come. */
  #greet(datagram: Buffer, remote: RemoteInfo): void {
    const packet = readControlPacket(datagram);
    const request = packet?.type === controlType.handshake ? readCallerHandshake(packet.payload) : null;
    if (!request) return;
    const { address, port } = remote;
    const nowMs = this.#options.steadyClock();
    if (request.kind === 'induction') {
      const cookie = this.#cookies.cookieFor(address, port, nowMs);
      return this.#answer(remote, request.socketID, inductionAnswer(request, cookie));
    }
    if (!this.#cookies.isValid(request.cookie, address, port, nowMs)) return;
    const known = this.#visitors.byCaller(remote, request.socketID);
    if (!known) return this.#arrive(request, remote, datagram.length);
    known.bytes += datagram.length;
    known.lastBytesAtMs = nowMs;
    if (known.answer) this.#answer(remote, request.socketID, known.answer);
  }

  #arrive(conclusion: Conclusion, remote: RemoteInfo, bytes: number): void {
    const { mostConnections, mostConnectionsPerAddress } = this.#limits;
    const wish = conclusion.fault ? { fault: conclusion.fault } : parseStreamID(conclusion.streamID);
    if ('fault' in wish)
      return this.#turnAway(conclusion, remote, wish.fault, reasonOf[wish.fault] ?? 'unsupported_caller');
    const group = addressGroup(peerAddress(remote.address));
    if (this.#visitors.countOf(group) >= mostConnectionsPerAddress && !this.#makeRoom(this.#visitors.of(group)))
      return this.#turnAway(conclusion, remote, 'tooMany', 'too_many_connections_of_address');
    if (this.#visitors.count >= mostConnections && !this.#makeRoom([...this.#visitors.all()]))
      return this.#turnAway(conclusion, remote, 'tooMany', 'too_many_connections');
    void this.#ask(this.#visitors.add(conclusion, remote, bytes, this.#options.steadyClock()), wish.key);
  }

  /**
   * Ends one of these visitors, so that those without a key keep out none that comes with one: one that is refused
   * already, else by `roomMaker`.
   * @returns false if all are contributors
   */
  #makeRoom(visitors: readonly Visitor[]): boolean {
    const waiting = visitors
      .filter(({ contributor }) => !contributor)
      .map((visitor) => ({ ...visitor, visitor, isKnown: this.#admission.isKnown(visitor.group) }));
    const refused = waiting.filter(({ answer }) => answer);
    const [nowMs, mostAlike] = [this.#options.steadyClock(), this.#limits.mostConnectionsPerAddress / 2];
    const chosen = roomMaker(refused.length > 0 ? refused : waiting, nowMs, mostAlike)?.visitor;
    if (!chosen) return false;
    this.#visitors.forget(chosen);
    if (!chosen.answer) this.#turnAway(chosen.conclusion, chosen.remote, 'tooMany', 'made_room');
    return true;
  }

  async #ask(visitor: Visitor, key: string): Promise<void> {
    let isDisconnected = false;
    const encryption = new CallerEncryption(visitor.conclusion.keyMaterial);
    const claim = { protocol: 'srt', address: visitor.address, encryption } as const;
    const admission = await this.#admission.admit(claim, key, () => {
      isDisconnected = true;
      visitor.contributor?.end('disconnected');
    });
    if (!this.#visitors.has(visitor) || isDisconnected) {
      if ('receiver' in admission) admission.receiver.ended({ isLost: false });
      this.#visitors.forget(visitor);
    } else if ('receiver' in admission) this.#begin(visitor, admission.receiver, encryption);
    else this.#refuse(visitor, admission.refusal);
  }

  #begin(visitor: Visitor, receiver: ContributionReceiver, { decryption }: CallerEncryption): void {
    const { conclusion, remote, socketID } = visitor;
    const latencyMs = Math.min(latency.mostMs, Math.max(latency.leastMs, conclusion.latencyMs));
    const { steadyClock } = this.#options;
    visitor.contributor = new SrtContributor({
      receiver,
      host: { limits: this.#limits, steadyClock, mostWaitingBytes: () => this.#mostWaitingBytes() },
      decryption,
      firstSequence: conclusion.firstSequence,
      destinationID: conclusion.socketID,
      latencyMs,
      send: (datagram) => this.#send(remote, datagram),
    });
    visitor.answer = conclusionAnswer(conclusion, { socketID, latencyMs });
    this.#answer(remote, conclusion.socketID, visitor.answer);
    void this.#record(visitor, visitor.contributor);
  }

  async #record(visitor: Visitor, contributor: SrtContributor): Promise<void> {
    const { address, group } = visitor;
    this.#admitted++;
    this.#contributing++;
    const reason = await contributor.over;
    this.#contributing--;
    this.#visitors.forget(visitor);
    // Each new connection may send at full rate for a while, so that who breaks a limit has to wait for the next one.
    if (violations.has(reason)) this.#delays.note(group, this.#options.steadyClock());
    this.#options.log('contributor_ended', { reason, address, protocol: 'srt' });
  }

  /** Refuses a key. The answer names few reasons, and stays for a caller that repeats. */
  #refuse(visitor: Visitor, reason: RefusalReason): void {
    const { remote, address, conclusion } = visitor;
    const nowMs = this.#options.steadyClock();
    this.#refusals.note(reason, address, nowMs);
    visitor.answer = refusalAnswer(conclusion, answerTo[reason] ?? 'forbidden');
    visitor.forgetAtMs = nowMs + 1000 * this.#limits.leaveWithinSeconds;
    this.#answer(remote, conclusion.socketID, visitor.answer);
  }

  #turnAway(conclusion: Conclusion, remote: RemoteInfo, name: RefusalName, reason: RefusalReason): void {
    this.#refusals.note(reason, peerAddress(remote.address), this.#options.steadyClock());
    this.#answer(remote, conclusion.socketID, refusalAnswer(conclusion, name));
  }

  #answer(remote: RemoteInfo, destinationID: number, handshake: Buffer): void {
    this.#send(remote, controlPacket(controlType.handshake, { timestampUs: 0, destinationID }, handshake));
  }

  #send({ address, port }: RemoteInfo, datagram: Buffer): void {
    // A datagram that cannot be sent is one that was lost.
    this.#socket.send(datagram, port, address, () => {});
  }

  #check(nowMs: number): void {
    for (const visitor of this.#visitors.all()) {
      visitor.contributor?.check(nowMs);
      const isSlow = !visitor.answer && nowMs - visitor.arrivedAtMs > 1000 * this.#limits.keyWithinSeconds;
      if (isSlow) this.#refusals.note('too_slow', visitor.address, nowMs);
      if (isSlow || nowMs >= visitor.forgetAtMs) this.#visitors.forget(visitor);
    }
    this.#boundIncompleteBytes();
  }

  #boundIncompleteBytes(): void {
    const contributors = this.#visitors.contributors();
    let sum = contributors.reduce((total, { incompleteBytes }) => total + incompleteBytes, 0);
    if (sum <= this.#limits.mostIncompleteBytesInAll) return;
    for (const contributor of contributors.toSorted((one, other) => other.incompleteBytes - one.incompleteBytes)) {
      if (sum <= this.#limits.mostIncompleteBytesInAll) return;
      sum -= contributor.incompleteBytes;
      contributor.end('too_much_incomplete');
    }
  }

  #mostWaitingBytes(): number {
    const { mostWaitingBytes, mostWaitingBytesInAll } = this.#limits;
    return Math.min(mostWaitingBytes, mostWaitingBytesInAll / Math.max(1, this.#contributing));
  }
}
