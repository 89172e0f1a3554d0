// The server's side of one contributor's RTMP connection, within the limits of the listener.
import type { Socket } from 'node:net';
import type { Amf0Value } from '../publisher/rtmp/amf0.ts';
import { asObject, readCommand } from '../publisher/rtmp/command.ts';
import type { RtmpCommand } from '../publisher/rtmp/command.ts';
import { mediaChunkSize, messageType } from '../publisher/rtmp/message.ts';
import type { RtmpMessage } from '../publisher/rtmp/message.ts';
import { SentTooMuch } from '../ports/outbound/bounded-tls.ts';
import { RtmpProtocolError } from '../publisher/rtmp/protocol-error.ts';
import { releaseMemory } from '../publisher/rtmp/release-memory.ts';
import { RtmpConnection } from '../publisher/rtmp/rtmp-connection.ts';
import type { ConnectionEnd } from '../publisher/rtmp/rtmp-connection.ts';
import { splitAggregate, TagReader } from './contributed-messages.ts';
import type { ContributionReceiver } from './contribution.ts';
import {
  acknowledged,
  connectAccepted,
  connectRefused,
  publishAccepted,
  publishRefused,
  streamCreated,
  unpublished,
} from './contributor-answers.ts';
import { isLoss } from './contributor-host.ts';
import type { Arrival, ConnectionEndReason, ContributorHost } from './contributor-host.ts';

/** Bytes that a contributor sends before it has to wait for an answer: a version, and 1,536 bytes. */
const handshakeBytes = 1537;
/** The only application of the listener. */
const applicationName = 'live';

/**
 * States, in this order:
 * - greeting: commands up to `publish` are answered, and everything else is dropped.
 * - asking: the door decides. Nothing is read, and messages that came with `publish` are kept.
 * - contributing: media goes to the receiver.
 * - refusing: nothing is read until the delay is over.
 * - leaving: the last answer is sent, and the rest of the bytes is dropped.
 */
type State = 'greeting' | 'asking' | 'contributing' | 'refusing' | 'leaving';

/** Serves one connection until it ends. The host calls `check` several times a second. */
export class ContributorConnection {
  /** Resolves with the reason once the socket is closed and the receiver knows of the end; never rejects. */
  readonly over: Promise<ConnectionEndReason>;
  readonly arrival: Arrival;
  readonly #socket: Socket;
  readonly #host: ContributorHost;
  readonly #connection: RtmpConnection;
  readonly #tags = new TagReader();
  #state: State = 'greeting';
  #reason: ConnectionEndReason | null = null;
  #receiver: ContributionReceiver | null = null;
  #wasAdmitted = false;
  #isConnected = false;
  #commands = 0;
  #early: RtmpMessage[] = [];
  #lastMediaAtMs = 0;
  /** Time at which reading paused because of waiting bytes; null while the listener reads. */
  #pausedAtMs: number | null = null;
  /** Time of the refusal's answer, or of the end of a connection that leaves. */
  #dueAtMs = 0;

  constructor(socket: Socket, arrival: Arrival, host: ContributorHost) {
    this.#socket = socket;
    this.arrival = arrival;
    this.#host = host;
    const listener = { onOpen: () => {}, onMessage: (message: RtmpMessage) => this.#receive(message) };
    this.#connection = new RtmpConnection(socket, 'server', listener, host.limits.beforeKey);
    socket.on('data', (data) => {
      // The connection has copied all that it needs.
      releaseMemory(data);
      this.#afterRead();
    });
    this.over = this.#ended();
  }

  /** True from the door's admission on, also after the end. */
  get wasAdmitted(): boolean {
    return this.#wasAdmitted;
  }

  get isContributing(): boolean {
    return this.#receiver !== null;
  }

  get incompleteBytes(): number {
    return this.#connection.incompleteBytes;
  }

  /** Ends the connection at once. The first reason stays. */
  end(reason: ConnectionEndReason): void {
    this.#reason ??= reason;
    this.#connection.destroy();
  }

  /** Ends, answers or resumes the connection if it is time to. */
  check(nowMs: number): void {
    const { keyWithinSeconds, handshakeWithinSeconds, mostBytesBeforeKey } = this.#host.limits;
    const bytesRead = this.arrival.bytesRead();
    const withinSeconds = bytesRead < handshakeBytes ? handshakeWithinSeconds : keyWithinSeconds;
    switch (this.#state) {
      case 'greeting':
      case 'asking':
        if (nowMs - this.arrival.arrivedAtMs > 1000 * Math.min(withinSeconds, keyWithinSeconds)) this.end('too_slow');
        else if (bytesRead > mostBytesBeforeKey) this.end('too_much_before_key');
        return;
      case 'contributing':
        return this.#checkContributor(nowMs);
      case 'refusing':
        if (nowMs >= this.#dueAtMs) this.#leave([publishRefused(this.#reason)]);
        return;
      case 'leaving':
        if (nowMs >= this.#dueAtMs) this.#connection.destroy();
    }
  }

  #checkContributor(nowMs: number): void {
    const { mostPausedSeconds, mostSilentSeconds, mostQueuedAnswerBytes } = this.#host.limits;
    if (this.#connection.bytesQueued > mostQueuedAnswerBytes) return this.end('answers_unread');
    if (this.#pausedAtMs === null) {
      if (nowMs - this.#lastMediaAtMs > 1000 * mostSilentSeconds) this.end('silent');
    } else if (this.#receiver!.bytesWaiting <= this.#host.mostWaitingBytes()) {
      this.#pausedAtMs = null;
      this.#lastMediaAtMs = nowMs;
      this.#socket.resume();
    } else if (nowMs - this.#pausedAtMs > 1000 * mostPausedSeconds) this.end('paused_too_long');
  }

  #afterRead(): void {
    if (this.#state === 'greeting' && this.arrival.bytesRead() > this.#host.limits.mostBytesBeforeKey)
      this.end('too_much_before_key');
    if (this.#wasAdmitted) this.#host.boundIncompleteBytes();
    this.#pauseIfFull();
  }

  #pauseIfFull(): void {
    if (!this.#receiver || this.#pausedAtMs !== null) return;
    if (this.#receiver.bytesWaiting <= this.#host.mostWaitingBytes()) return;
    this.#pausedAtMs = this.#host.steadyClock();
    this.#socket.pause();
  }

  #receive(message: RtmpMessage): void {
    if (this.#state === 'asking') this.#early.push(message);
    if (this.#state !== 'greeting' && this.#state !== 'contributing') return;
    const { type, payload } = message;
    const isCommand = type === messageType.commandAmf0 || type === messageType.commandAmf3;
    if (!isCommand) return this.#receiveMedia(message);
    if (payload.length > this.#host.limits.mostCommandBytes) throw new RtmpProtocolError('command too long');
    const command = readCommand(message);
    if (command) this.#obey(command);
  }

  #receiveMedia(message: RtmpMessage): void {
    if (message.type !== messageType.aggregate) return this.#deliver(message);
    if (!this.#receiver) return;
    const parts = splitAggregate(message.payload, message.timestampMs, this.#host.limits.mostMessagesPerAggregate);
    this.#connection.countMessages(parts.length);
    for (const part of parts) this.#deliver(part);
  }

  #deliver(message: Pick<RtmpMessage, 'type' | 'timestampMs' | 'payload'>): void {
    const tag = this.#receiver && this.#tags.tagOf(message);
    if (!tag) return;
    this.#lastMediaAtMs = this.#host.steadyClock();
    this.#receiver?.receive(tag);
  }

  #obey({ name, transactionID, values }: RtmpCommand): void {
    if (this.#state === 'greeting' && ++this.#commands > this.#host.limits.mostCommandsBeforeKey)
      throw new RtmpProtocolError('too many commands');
    if (this.#connection.bytesQueued > this.#host.limits.mostQueuedAnswerBytes) return this.end('answers_unread');
    switch (name) {
      case 'connect':
        return this.#connect(transactionID, values[0]);
      case 'createStream':
        return this.#connection.send([streamCreated(transactionID)]);
      case 'releaseStream':
      case 'FCPublish':
      case '_checkbw':
        return this.#connection.send(acknowledged(transactionID));
      case 'publish':
        return this.#publish(values[1]);
      case 'FCUnpublish':
      case 'closeStream':
      case 'deleteStream':
        this.#reason ??= 'unpublished';
        // GStreamer takes a connection that we close first for an error.
        return this.#leave([...acknowledged(transactionID), ...unpublished()], { isClosedByThem: true });
      default:
    }
  }

  #connect(transactionID: number, commandObject: Amf0Value): void {
    if (this.#isConnected) throw new RtmpProtocolError('connected twice');
    const { app } = asObject(commandObject);
    const name = typeof app === 'string' ? app.replace(/\?.*$/s, '').replace(/\/$/, '') : '';
    if (name !== applicationName) {
      this.#reason ??= 'wrong_app';
      return this.#leave([connectRefused(transactionID)]);
    }
    this.#isConnected = true;
    this.#connection.requestAcknowledgements();
    this.#connection.setChunkSize(mediaChunkSize);
    this.#connection.send([connectAccepted(transactionID)]);
  }

  #publish(name: Amf0Value): void {
    // Encoders that repeat the command are answered once.
    if (this.#state !== 'greeting') return;
    if (!this.#isConnected) throw new RtmpProtocolError('publishes before it connects');
    this.#state = 'asking';
    this.#socket.pause();
    void this.#ask(typeof name === 'string' ? name.replace(/\?.*$/s, '') : '');
  }

  async #ask(key: string): Promise<void> {
    const admission = await this.#host.admit(this.arrival, key, () => this.end('disconnected'));
    if (!this.#connection.isOpen || this.#state !== 'asking') {
      if ('receiver' in admission) admission.receiver.ended({ isLost: false });
    } else if ('receiver' in admission) this.#begin(admission.receiver);
    else this.#refuse(admission.refusal, admission.delayMs);
  }

  #begin(receiver: ContributionReceiver): void {
    const early = this.#early;
    this.#early = [];
    this.#receiver = receiver;
    this.#wasAdmitted = true;
    this.#state = 'contributing';
    this.#lastMediaAtMs = this.#host.steadyClock();
    this.#connection.limit(this.#host.limits.afterKey);
    this.#connection.send(publishAccepted());
    try {
      for (const message of early) this.#receive(message);
    } catch {
      return this.end('protocol');
    }
    this.#pauseIfFull();
    if (this.#pausedAtMs === null) this.#socket.resume();
  }

  #refuse(reason: ConnectionEndReason, delayMs: number): void {
    const { keyWithinSeconds } = this.#host.limits;
    const latestMs = this.arrival.arrivedAtMs + 1000 * keyWithinSeconds;
    this.#reason ??= reason;
    this.#early = [];
    this.#state = 'refusing';
    // A delay of a minute lies on the address; the connection does not occupy its place for so long.
    this.#dueAtMs = Math.min(this.#host.steadyClock() + delayMs, latestMs);
  }

  #leave(lastAnswers: readonly RtmpMessage[], { isClosedByThem } = { isClosedByThem: false }): void {
    this.#endReceiver({ isLost: false });
    this.#state = 'leaving';
    this.#dueAtMs = this.#host.steadyClock() + 1000 * this.#host.limits.leaveWithinSeconds;
    this.#connection.send(lastAnswers);
    if (!isClosedByThem) this.#connection.close();
    this.#socket.resume();
  }

  #endReceiver(end: { readonly isLost: boolean }): void {
    const receiver = this.#receiver;
    this.#receiver = null;
    receiver?.ended(end);
  }

  async #ended(): Promise<ConnectionEndReason> {
    const end = await this.#connection.ended;
    this.#early = [];
    const reason = this.#reason ?? reasonOf(end);
    // Encoders announce their end, so one that only closes has lost its network, or its process.
    this.#endReceiver({ isLost: reason === 'left' || isLoss(reason) });
    return reason;
  }
}

function reasonOf(end: ConnectionEnd): ConnectionEndReason {
  if (end.by !== 'error') return 'left';
  if (end.error instanceof RtmpProtocolError || end.error instanceof SentTooMuch) return 'protocol';
  const code = end.error instanceof Error && 'code' in end.error ? String(end.error.code) : '';
  return code.startsWith('ERR_SSL') ? 'tls_failed' : 'connection_lost';
}
