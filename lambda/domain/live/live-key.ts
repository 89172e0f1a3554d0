// Keys of live inputs: contributors send them as the stream key of RTMP.
import { hash } from 'node:crypto';

const prefix = 'live_';
/** The random part: 192 bits cannot be guessed. */
export const liveKeyBytes = 24;

/** The key in the form that its user receives, once. @param bytes random bytes */
export function liveKey(bytes: Buffer): string {
  return prefix + bytes.toString('base64url');
}

/** The reason why an input has no key. Decision D255. */
export const keyEnded = {
  code: 'application_disconnected',
  detail: 'The application that had received the key was disconnected. Replace the key to admit contributors again.',
} as const;

/** The stored form of a key: the SHA-256 of its whole text. */
export function hashLiveKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
