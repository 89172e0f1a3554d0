// New identifiers: a prefix for the kind of resource, then 25 characters of time and randomness.
import { randomBytes } from 'node:crypto';

/** `str_` + 9 base-36 digits of milliseconds (sorts by time until the year 5188) + 80 random bits. */
export function newID(prefix: string, now: Date): string {
  const time = now.getTime().toString(36).padStart(9, '0');
  const random = BigInt(`0x${randomBytes(10).toString('hex')}`)
    .toString(36)
    .padStart(16, '0');
  return `${prefix}_${time}${random}`;
}
