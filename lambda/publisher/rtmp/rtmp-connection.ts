// An RTMP connection over a socket, for both sides: handshake, chunks and protocol control.
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { ChunkReader } from './chunk-reader.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { handshakeRandomBytes, Handshake } from './handshake.ts';
import { fromDestination, fromPublisher, InboundAllowance } from './inbound-limits.ts';
import type { InboundLimits } from './inbound-limits.ts';
import { chunkStream, messageType, controlMessage } from './message.ts';
import type { RtmpMessage } from './message.ts';
import { RtmpProtocolError } from './protocol-error.ts';

/**
 * The peer is asked to acknowledge each time it has received this: three times a second at 6 Mbit/s. By default,
 * servers acknowledge after 2.5 MB or more.
 */
const windowAcknowledgementBytes = 256 * 1024;

/** A peer gets no answers while more is queued: a peer that pings but does not read could fill our memory. */
const maxQueuedAnswersBytes = 1024 * 1024;

const userControlEvent = { pingRequest: 6, pingResponse: 7 } as const;

export interface ConnectionListener {
  /** Called when the handshake is over and messages may be sent. */
  onOpen(): void;
  /**
   * Called with every message but those that the connection itself answers. If it throws, the connection ends like
   * after a protocol error.
   */
  onMessage(message: RtmpMessage): void;
  /** Asked before every write. When it answers false, the connection ends at once, without another byte. */
  maySend?(): boolean;
}

/** Reason of the end: our own close, a proper close by the peer (TCP FIN), or an error of socket or protocol. */
export type ConnectionEnd =
  | { readonly by: 'us' }
  | { readonly by: 'peer' }
  | { readonly by: 'error'; readonly error: unknown };

/**
 * States, in this order:
 * - shaking hands: from the constructor. Bytes of the peer go to the handshake.
 * - open: once the handshake is over, which calls `onOpen`. Bytes of the peer go to the chunk reader.
 * - ending: after `close`, which sends the rest first, or after `destroy`, an error, a FIN of the peer, or `maySend`
 *   answering false, which drop the rest. Nothing more is sent. The first reason stays.
 * - ended: once the socket is closed. `ended` resolves with the reason.
 */
export class RtmpConnection {
  /** Resolves when the socket is closed; never rejects. */
  readonly ended: Promise<ConnectionEnd>;
  readonly #socket: Socket;
  readonly #listener: ConnectionListener;
  readonly #handshake: Handshake;
  readonly #reader: ChunkReader;
  /** Bytes and messages that the peer may send for now; null without rates, as for a publisher of the local run. */
  #allowance: InboundAllowance | null;
  readonly #writer = new ChunkWriter();
  #open = false;
  #end: ConnectionEnd | null = null;
  #tookAll = false;
  #bytesSent = 0;
  #bytesReceived = 0;
  #bytesReported = 0;
  #peerWindowBytes = Number.POSITIVE_INFINITY;

  constructor(
    socket: Socket,
    side: 'client' | 'server',
    listener: ConnectionListener,
    limits: InboundLimits = side === 'client' ? fromDestination : fromPublisher,
  ) {
    this.#socket = socket;
    this.#listener = listener;
    this.#reader = new ChunkReader(limits);
    this.#allowance = limits.rates && new InboundAllowance(limits.rates, performance.now());
    const random = randomBytes(handshakeRandomBytes);
    this.#handshake = side === 'client' ? Handshake.asClient(random) : Handshake.asServer(random);
    this.ended = new Promise((resolve) => {
      socket.once('close', () => {
        this.#reader.dispose();
        resolve(this.#end ?? { by: 'peer' });
      });
    });
    socket.on('error', (error) => this.#finish({ by: 'error', error }));
    socket.on('end', () => {
      this.#tookAll = this.#end?.by === 'us' && socket.writableFinished;
      this.#finish({ by: 'peer' });
    });
    socket.on('data', (data) => this.#receive(data));
    this.#write(this.#handshake.opening);
  }

  /** True if the peer ended its side after ours had ended properly. */
  get tookAll(): boolean {
    return this.#tookAll;
  }

  /** Bytes handed to the socket, those of the handshake included. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  /** Bytes handed to the socket that the operating system has not taken yet. */
  get bytesQueued(): number {
    return this.#socket.writableLength;
  }

  /** Memory of messages of the peer whose last chunk has not come yet. */
  get incompleteBytes(): number {
    return this.#reader.incompleteBytes;
  }

  /** True while bytes that are sent go out. */
  get isOpen(): boolean {
    return this.#socket.writable;
  }

  /** Replaces the limits of the bytes and messages of the peer, as after it has proved who it is. */
  limit(limits: InboundLimits): void {
    this.#reader.limits = limits;
    this.#allowance = limits.rates && new InboundAllowance(limits.rates, performance.now());
  }

  /** Counts messages that came inside of another one against the limits. The next read fails if they were too many. */
  countMessages(messages: number): void {
    this.#allowance?.brought(messages);
  }

  /** Sends the messages with one write. Does nothing once the connection has ended. */
  send(messages: readonly RtmpMessage[]): void {
    this.#write(this.#writer.write(messages));
  }

  /** Sends bytes that are already chunks, with one write. Does nothing once the connection has ended. */
  sendChunks(chunks: readonly Buffer[]): void {
    if (!this.#mayWrite()) return;
    if (chunks.length > 1) this.#socket.cork();
    for (const chunk of chunks) {
      this.#bytesSent += chunk.length;
      this.#socket.write(chunk);
    }
    if (chunks.length > 1) this.#socket.uncork();
  }

  /** Announces the size of the chunks that follow. */
  setChunkSize(chunkSize: number): void {
    this.send([controlMessage(messageType.setChunkSize, chunkSize)]);
    this.#writer.chunkSize = chunkSize;
  }

  /** Asks the peer to acknowledge what it receives every 256 KiB. */
  requestAcknowledgements(): void {
    this.send([controlMessage(messageType.windowAcknowledgementSize, windowAcknowledgementBytes)]);
  }

  /** Closes properly, after the queued bytes have been sent. */
  close(): void {
    this.#end ??= { by: 'us' };
    this.#socket.end();
  }

  /** Closes at once and drops the queued bytes. */
  destroy(): void {
    this.#finish({ by: 'us' });
  }

  #receive(data: Buffer): void {
    try {
      const mostMessages = this.#allowance?.take(data.length, performance.now(), this.#bytesSent);
      if (this.#open) return this.#receiveChunks(data, mostMessages);
      const { reply, rest } = this.#handshake.receive(data);
      this.#write(reply);
      if (rest === null) return;
      this.#open = true;
      this.#listener.onOpen();
      this.#receiveChunks(rest, mostMessages);
    } catch (error) {
      this.#finish({ by: 'error', error });
    }
  }

  #receiveChunks(data: Buffer, mostMessages: number | undefined): void {
    this.#bytesReceived += data.length;
    const messages = this.#reader.read(data, mostMessages);
    this.#allowance?.brought(messages.length);
    for (const message of messages) {
      if (!this.#answer(message)) this.#listener.onMessage(message);
    }
    if (this.#bytesReceived - this.#bytesReported >= this.#peerWindowBytes) {
      this.#bytesReported = this.#bytesReceived;
      this.#reply(controlMessage(messageType.acknowledgement, this.#bytesReceived % 2 ** 32));
    }
  }

  /** Answers a message of protocol control. @returns false when the message is of another kind */
  #answer({ type, payload }: RtmpMessage): boolean {
    switch (type) {
      case messageType.setChunkSize:
      case messageType.abort:
        return true;
      case messageType.windowAcknowledgementSize:
        this.#peerWindowBytes = controlValue(payload);
        return true;
      case messageType.setPeerBandwidth: {
        // A larger window of the peer does not replace ours: we want frequent acknowledgements.
        const windowBytes = Math.min(controlValue(payload), windowAcknowledgementBytes);
        this.#reply(controlMessage(messageType.windowAcknowledgementSize, windowBytes));
        return true;
      }
      case messageType.userControl:
        if (payload.length >= 6 && payload.readUInt16BE() === userControlEvent.pingRequest) this.#reply(pong(payload));
        return true;
      default:
        return false;
    }
  }

  #reply(message: RtmpMessage): void {
    if (this.bytesQueued < maxQueuedAnswersBytes) this.send([message]);
  }

  #mayWrite(): boolean {
    if (!this.isOpen) return false;
    if (this.#listener.maySend?.() !== false) return true;
    this.#finish({ by: 'us' });
    return false;
  }

  #write(bytes: Buffer): void {
    if (bytes.length === 0 || !this.#mayWrite()) return;
    this.#bytesSent += bytes.length;
    this.#socket.write(bytes);
  }

  #finish(end: ConnectionEnd): void {
    this.#end ??= end;
    this.#socket.destroy();
  }
}

/** The number in a control message. A peer that sends 0 asks for the impossible, so 0 is read as 1. */
function controlValue(payload: Buffer): number {
  if (payload.length < 4) throw new RtmpProtocolError('control message too short');
  return Math.max(1, payload.readUInt32BE());
}

function pong(ping: Buffer): RtmpMessage {
  const payload = Buffer.from(ping.subarray(0, 6));
  payload.writeUInt16BE(userControlEvent.pingResponse);
  return { chunkStreamID: chunkStream.control, type: messageType.userControl, streamID: 0, timestampMs: 0, payload };
}
