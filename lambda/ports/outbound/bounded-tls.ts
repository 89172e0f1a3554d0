// TLS over a connection with a stranger, which ends when the other side sends far more TLS than content.
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';

/** Bounds of the bytes that carry no content: certificates, tickets, the frames of records. */
const burstBytes = 32 * 1024;
const bytesPerSecond = 1024;
/** Bytes of TLS for each byte of content: an answer of a few bytes is smaller than the record around it. */
const bytesPerContentByte = 4;
const checkMs = 200;

/** The other side has sent far more than a server has to. */
export class SentTooMuch extends Error {
  override readonly name = 'SentTooMuch';
}

interface Bound {
  readonly connection: Socket;
  spareBytes: number;
  countedBytes: number;
}

const bounds = new Map<TLSSocket, Bound>();
let checking: NodeJS.Timeout | undefined;

/**
 * Begins TLS. Messages of TLS itself, such as updates of its keys, cost work without an event to count them by, so the
 * bytes below TLS are compared with those above it.
 * @param connection an open connection, which then belongs to the socket
 * @returns a socket that is destroyed with SentTooMuch when the other side exceeds the bounds
 */
export function boundedTls(connection: Socket, options: Omit<ConnectionOptions, 'socket'>): TLSSocket {
  // Each renegotiation costs a handshake, and a server could ask for many.
  const socket = connect({ ...options, socket: connection, secureOptions: constants.SSL_OP_NO_RENEGOTIATION });
  boundTls(socket, connection);
  return socket;
}

/** Holds a socket of either side to the bounds of `boundedTls`. */
export function boundTls(socket: TLSSocket, connection: Socket): void {
  bounds.set(socket, { connection, spareBytes: burstBytes, countedBytes: 0 });
  checking ??= setInterval(check, checkMs).unref();
  socket.once('close', () => {
    bounds.delete(socket);
    if (bounds.size > 0) return;
    clearInterval(checking);
    checking = undefined;
  });
}

function check(): void {
  for (const [socket, bound] of bounds) {
    const bytes = bound.connection.bytesRead - bytesPerContentByte * socket.bytesRead;
    const grown = bound.spareBytes + (bytesPerSecond * checkMs) / 1000 + bound.countedBytes - bytes;
    bound.spareBytes = Math.min(burstBytes, grown);
    bound.countedBytes = bytes;
    if (bound.spareBytes < 0) socket.destroy(new SentTooMuch());
  }
}
