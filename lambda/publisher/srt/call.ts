// Calls an SRT listener: the handshake, with its repetitions, until both sides have agreed.
import type { Socket } from 'node:dgram';
import { randomBytes } from 'node:crypto';
import { DestinationError } from '../destination/destination-error.ts';
import { SrtCipher } from './encryption.ts';
import { conclusion, induction, readHandshake } from './handshake.ts';
import type { Caller, HandshakeAnswer } from './handshake.ts';
import { InboundPackets } from './inbound-packets.ts';
import { isKeyTaken } from './key-material.ts';
import { controlPacket, controlType, readControlPacket } from './packet.ts';
import { meaningOfRefusal } from './refusal.ts';

/** A handshake may get lost, so it is repeated until the listener answers. */
const repeatEveryMs = 250;
/** Time for the first answer, as over TCP. */
const answerTimeoutMs = 2500;
const usualKeyBytes = 16;

/** The connection that both sides have agreed on. */
export interface Call {
  readonly firstSequence: number;
  /** The number of the listener's socket, which packets to it carry. */
  readonly destinationID: number;
  /** The number of our socket, which packets to us carry. */
  readonly socketID: number;
  readonly flowWindow: number;
  /** Null without encryption. */
  readonly cipher: SrtCipher | null;
  /** The time that timestamps count from, by `performance.now()`. */
  readonly beganAtMs: number;
}

export interface CallOptions {
  readonly passphrase: string | null;
  readonly latencyMs: number;
  readonly streamID: string | null;
}

/**
 * @param signal gives up when it aborts
 * @throws {DestinationError} unreachable, unanswered, passphrase_refused, stream_id_refused, already_publishing,
 * server_full, caller_refused or protocol_violated; the signal's reason
 */
export async function call(socket: Socket, options: CallOptions, signal: AbortSignal): Promise<Call> {
  const beganAtMs = performance.now();
  const { passphrase, latencyMs, streamID } = options;
  const caller = newCaller(latencyMs, streamID);
  const greeted = await greet({ socket, beganAtMs, caller }, signal);
  const keyBytes = greeted.keyBytes ?? usualKeyBytes;
  const cipher = passphrase === null ? null : await SrtCipher.make(passphrase, keyBytes);
  const handshake = conclusion(caller, greeted.cookie, cipher?.keyMaterial ?? null, keyBytes);
  const { socketID } = caller;
  const isAnswer = ({ isInduction }: HandshakeAnswer) => !isInduction;
  const answer = await exchange({ socket, handshake, isAnswer, beganAtMs, timeoutMs: Infinity, socketID }, signal);
  if (answer.refusal !== null) throw new DestinationError(meaningOfRefusal(answer.refusal));
  // A listener may accept a caller with another passphrase, and then cannot read the media.
  if (cipher && !(answer.keyAnswer && isKeyTaken(answer.keyAnswer, keyBytes)))
    throw new DestinationError('passphrase_refused');
  const { socketID: destinationID, flowWindow } = answer;
  return { ...caller, destinationID, flowWindow, cipher, beganAtMs };
}

/**
 * Checks that a listener answers. It sends neither a stream id nor a passphrase, and opens no connection.
 * @throws {DestinationError} unreachable, unanswered or protocol_violated; the signal's reason
 */
export async function awaitListener(socket: Socket, signal: AbortSignal): Promise<void> {
  await greet({ socket, beganAtMs: performance.now(), caller: newCaller(0, null) }, signal);
}

function newCaller(latencyMs: number, streamID: string | null): Caller {
  return {
    // Not 0: that number marks packets for no socket yet.
    socketID: randomBytes(4).readUInt32BE() >>> 2 || 1,
    firstSequence: randomBytes(4).readUInt32BE() >>> 1,
    latencyMs,
    streamID,
  };
}

/** The first of the two handshakes. */
function greet(
  { socket, beganAtMs, caller }: { socket: Socket; beganAtMs: number; caller: Caller },
  signal: AbortSignal,
): Promise<HandshakeAnswer> {
  // Without a listener, an error between two handshakes (as while a key is derived) would end the process.
  socket.on('error', () => {});
  const { socketID } = caller;
  const handshake = induction(caller);
  const isAnswer = ({ isInduction }: HandshakeAnswer) => isInduction;
  return exchange({ socket, handshake, isAnswer, beganAtMs, timeoutMs: answerTimeoutMs, socketID }, signal);
}

interface Exchange {
  readonly socket: Socket;
  readonly handshake: Buffer;
  readonly isAnswer: (answer: HandshakeAnswer) => boolean;
  readonly beganAtMs: number;
  readonly timeoutMs: number;
  readonly socketID: number;
}

/** Sends a handshake repeatedly until the listener answers it. */
async function exchange(asked: Exchange, signal: AbortSignal): Promise<HandshakeAnswer> {
  const { socket, handshake, isAnswer, beganAtMs, timeoutMs, socketID } = asked;
  const { promise, resolve, reject } = Promise.withResolvers<HandshakeAnswer>();
  const send = () => {
    const timestampUs = Math.floor((performance.now() - beganAtMs) * 1000);
    socket.send(controlPacket(controlType.handshake, { timestampUs, destinationID: 0 }, handshake));
  };
  const inbound = new InboundPackets();
  const receive = (datagram: Buffer) => {
    if (!inbound.take(performance.now())) return reject(new DestinationError('protocol_violated'));
    const packet = readControlPacket(datagram);
    if (packet?.type !== controlType.handshake || packet.destinationID !== socketID) return;
    const answer = readHandshake(packet.payload);
    if (!answer) reject(new DestinationError('protocol_violated'));
    else if (isAnswer(answer)) resolve(answer);
  };
  const fail = (error: Error) => reject(new DestinationError('unreachable', error));
  const abort = () => reject(signal.reason);
  socket.on('message', receive);
  socket.on('error', fail);
  signal.addEventListener('abort', abort, { once: true });
  const repeating = setInterval(send, repeatEveryMs);
  const timeout = Number.isFinite(timeoutMs)
    ? setTimeout(() => reject(new DestinationError('unanswered')), timeoutMs)
    : undefined;
  try {
    signal.throwIfAborted();
    send();
    return await promise;
  } finally {
    clearInterval(repeating);
    clearTimeout(timeout);
    socket.off('message', receive);
    socket.off('error', fail);
    signal.removeEventListener('abort', abort);
  }
}
