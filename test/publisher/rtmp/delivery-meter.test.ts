// The meter knows how many bytes the other side's system has accepted, from Linux' /proc.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket, TcpSocketConnectOpts } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DeliveryMeter } from '../../../lambda/publisher/rtmp/delivery-meter.ts';

const interfaces = Object.values(networkInterfaces()).flatMap((addressed) => addressed ?? []);
const addresses = new Set(interfaces.map(({ address }) => address));
/** More bytes than the buffers of both sides hold. */
const sentBytes = 32 * 1024 * 1024;
const writeBytes = 64 * 1024;

async function listening(host: string, port: number, onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => onSocket(socket.on('error', () => {}))).listen(port, host);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function sending(options: TcpSocketConnectOpts): Promise<Socket> {
  const socket = connect(options);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.on('error', () => {});
  // Writes are small, because a write counts as waiting until all of it is accepted.
  for (let sent = 0; sent < sentBytes; sent += writeBytes) socket.write(Buffer.alloc(writeBytes));
  return socket;
}

function metered(socket: Socket) {
  return new DeliveryMeter().add(socket, { bytesTaken: () => socket.bytesWritten - socket.writableLength });
}

describe.skipIf(!existsSync('/proc/net/tcp'))('a connection', () => {
  it.for(['127.0.0.1', '::1'])('to %s has delivered what its reader has taken', async (host, { skip }) => {
    skip(!addresses.has(host), 'not an address of this machine');
    const port = await listening(host, 0, (socket) => socket.resume());
    const connection = metered(await sending({ host, port }));
    await expect.poll(() => connection.bytesDelivered).toBe(sentBytes);
  });

  it('that stands still is not mistaken for another one with the same ports', async () => {
    const port = await listening('127.0.0.1', 0, (socket) => socket.pause());
    await listening('127.0.0.2', port, (socket) => socket.resume());
    const stalled = await sending({ host: '127.0.0.1', port, localAddress: '127.0.0.1' });
    const local = { localAddress: '127.0.0.2', localPort: stalled.localPort! };
    const flowing = await sending({ host: '127.0.0.2', port, ...local });
    const [still, well] = [metered(stalled), metered(flowing)];
    await expect.poll(() => well.bytesDelivered).toBe(sentBytes);
    // Each connection has its own meter with its own schedule.
    await expect.poll(() => still.bytesDelivered).not.toBeNull();
    // The process has sent more bytes than that: they are in transit.
    expect(still.bytesDelivered).toBeLessThan(stalled.bytesWritten - stalled.writableLength);
  });
});
