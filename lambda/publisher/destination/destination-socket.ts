// Opens the one TCP or TLS connection to a destination.
import { constants } from 'node:crypto';
import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { CheckStep } from '../../domain/destinations/destination-check.ts';
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
 * certificate_expired or tls_failed; the signal's reason when aborted
 */
export async function openDestinationSocket(
  url: PublishServer,
  options: DestinationSocketOptions,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  // Node calls no lookup for a literal address, so it is checked here.
  if (isIP(url.hostname)) assertAddressAllowed(url.hostname, options);
  const socket = connectTo(url, options);
  let tcpConnected = false;
  const abort = (): void => void socket.destroy(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let answerTimer: NodeJS.Timeout | undefined;
  const awaitAnswer = () => {
    answerTimer = setTimeout(() => socket.destroy(new DestinationError('unanswered')), answerTimeoutMs);
  };
  const found = (error?: Error | null) => {
    if (!error) options.onStep?.('address');
    awaitAnswer();
  };
  if (isIP(url.hostname)) found();
  else socket.once('lookup', found);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('error', reject);
  socket.once('connect', () => {
    tcpConnected = true;
    clearTimeout(answerTimer);
    options.onStep?.('tcp');
  });
  socket.once(url.secure ? 'secureConnect' : 'connect', () => resolve());
  try {
    await promise;
    if (url.secure) options.onStep?.('tls');
    if (socket instanceof TLSSocket) options.tlsSessions?.keep(url, socket);
    return socket.setNoDelay(true).setKeepAlive(true, keepAliveDelayMs);
  } catch (error) {
    if (signal.aborted || error instanceof DestinationError) throw error;
    throw new DestinationError(tcpConnected ? tlsFailure(error) : connectFailure(error), error);
  } finally {
    clearTimeout(answerTimer);
    socket.off('error', reject);
    signal.removeEventListener('abort', abort);
  }
}

function connectTo(url: PublishServer, options: DestinationSocketOptions): Socket {
  const endpoint = {
    host: url.hostname,
    port: url.port,
    lookup: allowedLookup(options),
    // Otherwise Node would try several addresses at once, with more than one connection.
    autoSelectFamily: false,
    ...(options.readsInPlace && { onread: { buffer: readBuffer, callback: emitRead } }),
  };
  if (!url.secure) return connectTcp(endpoint);
  const session = options.tlsSessions?.of(url);
  return connectTls({
    ...endpoint,
    // Each renegotiation costs a handshake, and a server could ask for many.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(!isIP(url.hostname) && { servername: url.hostname }),
    ...(options.tlsCa !== undefined && { ca: options.tlsCa }),
    ...(session && { session }),
  });
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
  return hasCode(error, 'CERT_HAS_EXPIRED') ? 'certificate_expired' : 'tls_failed';
}

/** True if the operating system gave up waiting for the other side. */
export function isTimeout(error: unknown): boolean {
  return hasCode(error, 'ETIMEDOUT');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
