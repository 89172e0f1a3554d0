// Tells guests apart by their addresses, without storing these.
// Decision D232.
import { createHmac } from 'node:crypto';
import { networkOf } from './networks.ts';

const hashBytes = 16;

/** The keyed hash of a guest. It differs for each stream, so that it does not follow a guest to another one. */
export function guestHash(serviceSecret: string, streamID: string, address: string): Buffer {
  return createHmac('sha256', serviceSecret)
    .update(`guest\n${streamID}\n${networkOf(address)}`)
    .digest()
    .subarray(0, hashBytes);
}
