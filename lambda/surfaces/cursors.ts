// Opaque cursors of lists. A client cannot change a cursor, or use it for another list or another caller.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from '../operations/context.ts';

const macBytes = 12;

/** A cursor is base64url of 8 bytes of position and 12 bytes of HMAC over caller, list and position. */
export function cursorsOf(serviceSecret: string, userID: string): Context['cursors'] {
  const macOf = (listID: string, position: Buffer) =>
    createHmac('sha256', serviceSecret)
      .update(`cursor\n${userID}\n${listID}\n`)
      .update(position)
      .digest()
      .subarray(0, macBytes);
  return {
    seal(listID, position) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64BE(BigInt(position));
      return Buffer.concat([bytes, macOf(listID, bytes)]).toString('base64url');
    },
    open(listID, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      if (bytes.length !== 8 + macBytes || bytes.toString('base64url') !== cursor) return null;
      const position = bytes.subarray(0, 8);
      return timingSafeEqual(bytes.subarray(8), macOf(listID, position)) ? Number(position.readBigUInt64BE()) : null;
    },
  };
}
