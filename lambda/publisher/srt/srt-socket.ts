// Opens the UDP socket of an SRT caller, to a checked address only.
import { createSocket } from 'node:dgram';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import type { PublishServer } from '../../domain/destinations/ways/way-out.ts';
import type { DestinationRules } from '../destination/destination-address.ts';
import { allowedAddress } from '../destination/destination-address.ts';

/** Bytes that may wait in the operating system. */
const sendBufferBytes = 1024 * 1024;

/**
 * Looks the host up, and connects the socket to one address and port. Packets from other addresses are not received.
 * @throws {DestinationError} address_forbidden, name_not_found or name_not_resolved
 */
export async function openSrtSocket({ hostname, port }: PublishServer, options: DestinationRules): Promise<Socket> {
  const { address, family } = await allowedAddress(hostname, options);
  const socket = createSocket({ type: family === 6 ? 'udp6' : 'udp4', sendBufferSize: sendBufferBytes });
  socket.connect(port, address);
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}
