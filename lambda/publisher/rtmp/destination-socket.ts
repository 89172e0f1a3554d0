// Opens the one TCP or TLS connection to a destination.
import { connect as connectTcp, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { allowedLookup, assertAddressAllowed } from './destination-address.ts';
import { DestinationError } from './destination-error.ts';
import type { DestinationErrorCode } from './destination-error.ts';
import type { RtmpURL } from '../../domain/rtmp-url.ts';

const keepAliveDelayMs = 15_000;

export interface DestinationSocketOptions {
  readonly allowPrivateAddresses: boolean;
  /** PEM certificates to trust in place of the public authorities. */
  readonly tlsCa?: string;
}

/**
 * Connects, for rtmps with the certificate verified against the host name (also sent as SNI).
 * Aborting `signal` before it resolves destroys the socket; afterwards the socket is the caller's.
 * @throws {DestinationError} address_forbidden, name_not_found, unreachable, timed_out or tls_failed; the signal's reason when aborted
 */
export async function openDestinationSocket(url: RtmpURL, options: DestinationSocketOptions, signal: AbortSignal): Promise<Socket> {
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
  const socket = url.secure
    ? connectTls({ ...endpoint, ...(isIP(url.hostname) ? {} : { servername: url.hostname }), ...(options.tlsCa === undefined ? {} : { ca: options.tlsCa }) })
    : connectTcp(endpoint);
  let tcpConnected = false;
  const abort = (): void => void socket.destroy(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('error', reject);
  socket.once('connect', () => (tcpConnected = true));
  socket.once(url.secure ? 'secureConnect' : 'connect', () => resolve());
  try {
    await promise;
    return socket.setNoDelay(true).setKeepAlive(true, keepAliveDelayMs);
  } catch (error) {
    if (signal.aborted || error instanceof DestinationError) throw error;
    throw new DestinationError(tcpConnected ? 'tls_failed' : connectFailure(error), error);
  } finally {
    socket.off('error', reject);
    signal.removeEventListener('abort', abort);
  }
}

/** The code for a socket error before the TCP connection stood. */
function connectFailure(error: unknown): DestinationErrorCode {
  if (!(error instanceof Error)) return 'unreachable';
  if ('syscall' in error && error.syscall === 'getaddrinfo') return 'name_not_found';
  return isTimeout(error) ? 'timed_out' : 'unreachable';
}

/** Whether the operating system gave up waiting for the other side. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT';
}
