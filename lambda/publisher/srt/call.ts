// Calls a listener: the handshake, with its repetitions, until the connection stands.
import type { Socket } from 'node:dgram';
import { randomBytes } from 'node:crypto';
import { DestinationError } from '../destination/destination-error.ts';
import { isKeyTaken, SrtCipher } from './encryption.ts';
import { conclusion, induction, readHandshake } from './handshake.ts';
import type { Caller, HandshakeAnswer } from './handshake.ts';
import { controlPacket, controlType, readControlPacket } from './packet.ts';
import { meaningOfRefusal } from './refusal.ts';

/** Who may not have heard a handshake is sent it again. */
const repeatEveryMs = 250;
/** How long the first answer may take, as at other destinations. */
const answerTimeoutMs = 2500;
const usualKeyBytes = 16;

/** What both sides have agreed on. */
export interface Call {
  readonly firstSequence: number;
  /** The number of the listener's socket, which packets to it carry. */
  readonly destinationID: number;
  /** Ours. */
  readonly socketID: number;
  readonly flowWindow: number;
  /** Null where nothing is encrypted. */
  readonly cipher: SrtCipher | null;
  /** By `performance.now()`: what timestamps count from. */
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
  // A listener may let a caller in whose passphrase is not its own, and then understands nothing.
  if (cipher && !(answer.keyAnswer && isKeyTaken(answer.keyAnswer, keyBytes)))
    throw new DestinationError('passphrase_refused');
  const { socketID: destinationID, flowWindow } = answer;
  return { ...caller, destinationID, flowWindow, cipher, beganAtMs };
}

/**
 * Sees whether a listener answers, which is told neither a stream id nor a passphrase, and of no call.
 * @throws {DestinationError} unreachable, unanswered or protocol_violated; the signal's reason
 */
export async function awaitListener(socket: Socket, signal: AbortSignal): Promise<void> {
  await greet({ socket, beganAtMs: performance.now(), caller: newCaller(0, null) }, signal);
}

function newCaller(latencyMs: number, streamID: string | null): Caller {
  return {
    // Neither number is 0, by which packets are told that are meant for no socket yet.
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
  // Between two handshakes, as while a key is derived, an error would be nobody's, and end the process.
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

/** Sends a handshake again and again until there is an answer to it. */
async function exchange(asked: Exchange, signal: AbortSignal): Promise<HandshakeAnswer> {
  const { socket, handshake, isAnswer, beganAtMs, timeoutMs, socketID } = asked;
  const { promise, resolve, reject } = Promise.withResolvers<HandshakeAnswer>();
  const send = () => {
    const timestampUs = Math.floor((performance.now() - beganAtMs) * 1000);
    socket.send(controlPacket(controlType.handshake, { timestampUs, destinationID: 0 }, handshake));
  };
  const receive = (datagram: Buffer) => {
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
