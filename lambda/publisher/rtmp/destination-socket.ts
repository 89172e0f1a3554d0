// Opens the one TCP or TLS connection to a destination.
import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { allowedLookup, assertAddressAllowed } from './destination-address.ts';
import { DestinationError } from './destination-error.ts';
import type { DestinationErrorCode } from './destination-error.ts';
import type { TlsSessions } from './tls-sessions.ts';
import type { RtmpURL } from '../../domain/rtmp-url.ts';

const keepAliveDelayMs = 15_000;
/** For TCP's answer: round the world and once more for a packet that was lost. Then a new connection is tried, since it asks more often. */
const answerTimeoutMs = 2500;

export interface DestinationSocketOptions {
  readonly allowPrivateAddresses: boolean;
  /** PEM certificates to trust in place of the public authorities. */
  readonly tlsCa?: string;
  /** Without them every connection begins a session of its own. */
  readonly tlsSessions?: TlsSessions;
}

/**
 * Connects, for rtmps with the certificate verified against the host name (also sent as SNI).
 * Aborting `signal` before it resolves destroys the socket; afterwards the socket is the caller's.
 * @throws {DestinationError} address_forbidden, name_not_found, name_not_resolved, unreachable, unanswered, certificate_expired or tls_failed; the signal's reason when aborted
 */
export async function openDestinationSocket(
  url: RtmpURL,
  options: DestinationSocketOptions,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  // Node does not call lookup for a literal address.
  if (isIP(url.hostname)) assertAddressAllowed(url.hostname, options.allowPrivateAddresses);
  const endpoint = {
    host: url.hostname,
    port: url.port,
    lookup: allowedLookup(options.allowPrivateAddresses),
    // Trying several addresses at once would be more than one connection.
    autoSelectFamily: false,
  };
  const session = options.tlsSessions?.of(url);
  const tls = {
    ...(!isIP(url.hostname) && { servername: url.hostname }),
    ...(options.tlsCa !== undefined && { ca: options.tlsCa }),
    ...(session && { session }),
  };
  const socket = url.secure ? connectTls({ ...endpoint, ...tls }) : connectTcp(endpoint);
  let tcpConnected = false;
  const abort = (): void => void socket.destroy(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  let answerTimer: NodeJS.Timeout | undefined;
  const awaitAnswer = () => {
    answerTimer = setTimeout(() => socket.destroy(new DestinationError('unanswered')), answerTimeoutMs);
  };
  if (isIP(url.hostname)) awaitAnswer();
  else socket.once('lookup', awaitAnswer);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('error', reject);
  socket.once('connect', () => {
    tcpConnected = true;
    clearTimeout(answerTimer);
  });
  socket.once(url.secure ? 'secureConnect' : 'connect', () => resolve());
  try {
    await promise;
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

/** The code for a socket error before the TCP connection stood. */
function connectFailure(error: unknown): DestinationErrorCode {
  if (!(error instanceof Error)) return 'unreachable';
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'getaddrinfo') return code === 'EAI_AGAIN' ? 'name_not_resolved' : 'name_not_found';
  return unansweredCodes.has(code) ? 'unanswered' : 'unreachable';
}

/** The network, not the server, said so. */
const unansweredCodes = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN']);

function tlsFailure(error: unknown): DestinationErrorCode {
  return error instanceof Error && 'code' in error && error.code === 'CERT_HAS_EXPIRED'
    ? 'certificate_expired'
    : 'tls_failed';
}

/** Whether the operating system gave up waiting for the other side. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT';
}
