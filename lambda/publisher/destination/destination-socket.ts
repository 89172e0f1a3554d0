// Opens the one TCP or TLS connection to a destination.
import { connect, isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { CheckStep } from '../../domain/destinations/destination-check.ts';
import { boundedTls, SentTooMuch } from '../../ports/outbound/bounded-tls.ts';
import { allowedLookup, assertAddressAllowed } from './destination-address.ts';
import type { DestinationRules } from './destination-address.ts';
import { DestinationError } from './destination-error.ts';
import type { DestinationErrorCode } from './destination-error.ts';
import type { TlsSessions } from './tls-sessions.ts';
import type { PublishServer } from '../../domain/destinations/ways/way-out.ts';

const keepAliveDelayMs = 15_000;
/**
 * Time for TCP's answer: once round the world, and once more for a lost packet. After that a new connection is faster,
 * as TCP waits longer before each retry.
 */
const answerTimeoutMs = 2500;
/** For sockets that are read in place. A new buffer for each read would be 64 KiB of garbage, even for a few bytes. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);

export interface DestinationSocketOptions extends DestinationRules {
  /** TLS sessions to resume; without them every connection begins a new session. */
  readonly tlsSessions?: TlsSessions;
  /** Called after each step to the destination. */
  readonly onStep?: (step: CheckStep) => void;
  /** True if listeners of `data` keep no bytes after they return: the next read overwrites them. */
  readonly readsInPlace?: boolean;
}

/**
 * Connects to a destination. With TLS, the certificate is verified against the host name, which is also sent as SNI.
 * The socket is destroyed if `signal` aborts before this has resolved; then the socket belongs to the caller.
 * @throws {DestinationError} address_forbidden, name_not_found, name_not_resolved, unreachable, unanswered,
 * certificate_expired, tls_failed or protocol_violated; the signal's reason when aborted
 */
export async function openDestinationSocket(
  url: PublishServer,
  options: DestinationSocketOptions,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  // Node calls no lookup for a literal address, so it is checked here.
  if (isIP(url.hostname)) assertAddressAllowed(url.hostname, options);
  const connection = await connectTo(url, options, signal);
  connection.setNoDelay(true).setKeepAlive(true, keepAliveDelayMs);
  return url.secure ? secured(connection, url, options, signal) : connection;
}

async function connectTo(url: PublishServer, options: DestinationSocketOptions, signal: AbortSignal): Promise<Socket> {
  const socket = connect({
    host: url.hostname,
    port: url.port,
    lookup: allowedLookup(options),
    // Otherwise Node would try several addresses at once, with more than one connection.
    autoSelectFamily: false,
    // Bytes of TLS are not read in place: they are decrypted into buffers of their size.
    ...(options.readsInPlace && !url.secure && { onread: { buffer: readBuffer, callback: emitRead } }),
  });
  let answerTimer: NodeJS.Timeout | undefined;
  const found = (error?: Error | null) => {
    if (!error) options.onStep?.('address');
    answerTimer = setTimeout(() => socket.destroy(new DestinationError('unanswered')), answerTimeoutMs);
  };
  if (isIP(url.hostname)) found();
  else socket.once('lookup', found);
  try {
    await reached(socket, 'connect', signal);
    options.onStep?.('tcp');
    return socket;
  } catch (error) {
    if (signal.aborted || error instanceof DestinationError) throw error;
    throw new DestinationError(connectFailure(error), error);
  } finally {
    clearTimeout(answerTimer);
  }
}

async function secured(
  connection: Socket,
  url: PublishServer,
  options: DestinationSocketOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const session = options.tlsSessions?.of(url);
  const socket = boundedTls(connection, {
    ...(isIP(url.hostname) ? { host: url.hostname } : { servername: url.hostname }),
    ...(options.tlsCa !== undefined && { ca: options.tlsCa }),
    ...(session && { session }),
  });
  try {
    await reached(socket, 'secureConnect', signal);
    options.onStep?.('tls');
    options.tlsSessions?.keep(url, socket);
    return socket;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new DestinationError(tlsFailure(error), error);
  }
}

/** Waits for an event of a socket, and destroys the socket if `signal` aborts before. */
async function reached(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => void socket.destroy(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  socket.once('error', reject);
  socket.once(event, () => resolve());
  if (signal.aborted) abort();
  try {
    await promise;
  } finally {
    socket.off('error', reject);
    signal.removeEventListener('abort', abort);
  }
}

function emitRead(this: Socket, bytes: number): boolean {
  this.emit('data', readBuffer.subarray(0, bytes));
  return true;
}

/** The code for a socket error before the TCP connection was open. */
function connectFailure(error: unknown): DestinationErrorCode {
  if (!(error instanceof Error)) return 'unreachable';
  const { code = '' } = error as NodeJS.ErrnoException;
  return unansweredCodes.has(code) ? 'unanswered' : 'unreachable';
}

/** Errors from the network, not from the server. */
const unansweredCodes = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN']);

function tlsFailure(error: unknown): DestinationErrorCode {
  if (error instanceof SentTooMuch) return 'protocol_violated';
  return hasCode(error, 'CERT_HAS_EXPIRED') ? 'certificate_expired' : 'tls_failed';
}

/** True if the operating system gave up waiting for the other side. */
export function isTimeout(error: unknown): boolean {
  return hasCode(error, 'ETIMEDOUT');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
