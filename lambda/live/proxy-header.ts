// The PROXY header of a load balancer, version 2, as HAProxy defines it: it names the address of the contributor.
import type { Socket } from 'node:net';
import { addressOf } from './contributor-address.ts';

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const fixedBytes = 16;
/** Addresses and further values. Load balancers send less than 200 bytes. */
const mostFurtherBytes = 1024;

const version2 = 2;
const command = { local: 0, proxy: 1 } as const;
/** Bytes of one address, and of both with their ports, by the family and the transport: TCP over IPv4 or IPv6. */
const families: Readonly<Record<number, { readonly address: number; readonly all: number }>> = {
  0x11: { address: 4, all: 12 },
  0x21: { address: 16, all: 36 },
};

/** The bytes are no such header, or one of a connection that is not TCP. */
export class ProxyHeaderError extends Error {
  override readonly name = 'ProxyHeaderError';
}

/** The connection ended before its header did, as after a health check without one. */
export class EndedWithoutHeader extends Error {
  override readonly name = 'EndedWithoutHeader';
}

export interface ProxyHeader {
  /** Length of the header. */
  readonly bytes: number;
  /** The address of the contributor; null for a connection of the load balancer itself, as for a health check. */
  readonly address: string | null;
}

/**
 * Reads the header at the beginning of a connection. Its further values (TLVs) are skipped.
 * @returns null while more of it has to come
 * @throws {ProxyHeaderError} as soon as the bytes cannot become a header
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader | null {
  const begun = Math.min(bytes.length, signature.length);
  if (!bytes.subarray(0, begun).equals(signature.subarray(0, begun))) throw new ProxyHeaderError('no PROXY header');
  if (bytes.length < fixedBytes) return null;
  const versionAndCommand = bytes.readUInt8(12);
  const furtherBytes = bytes.readUInt16BE(14);
  if (versionAndCommand >> 4 !== version2) throw new ProxyHeaderError('unknown version');
  if (furtherBytes > mostFurtherBytes) throw new ProxyHeaderError('header too long');
  const size = families[bytes.readUInt8(13)];
  const isLocal = (versionAndCommand & 0x0f) === command.local;
  if (!isLocal && (versionAndCommand & 0x0f) !== command.proxy) throw new ProxyHeaderError('unknown command');
  if (!isLocal && (!size || furtherBytes < size.all)) throw new ProxyHeaderError('no addresses of TCP');
  const end = fixedBytes + furtherBytes;
  if (bytes.length < end) return null;
  const address = isLocal || !size ? null : addressOf(bytes.subarray(fixedBytes, fixedBytes + size.address));
  return { bytes: end, address };
}

/**
 * Takes the header off a new connection, so that the next reader of the socket gets the bytes behind it. Limits of time
 * are up to the caller, who destroys the socket.
 * @throws {ProxyHeaderError | EndedWithoutHeader}
 */
export function takeProxyHeader(socket: Socket): Promise<ProxyHeader> {
  const { promise, resolve, reject } = Promise.withResolvers<ProxyHeader>();
  let received: Buffer = Buffer.alloc(0);
  const onReadable = (): void => {
    const more = socket.read() as Buffer | null;
    if (more === null) return;
    received = Buffer.concat([received, more]);
    try {
      const header = readProxyHeader(received);
      if (header === null) return;
      stop();
      if (received.length > header.bytes) socket.unshift(received.subarray(header.bytes));
      resolve(header);
    } catch (error) {
      stop();
      reject(error);
    }
  };
  const onOver = (): void => {
    stop();
    reject(new EndedWithoutHeader());
  };
  const stop = (): void => {
    socket.off('readable', onReadable).off('end', onOver).off('close', onOver);
  };
  socket.on('readable', onReadable).on('end', onOver).on('close', onOver);
  return promise;
}
