// Keys of live inputs, which contributors send as the stream key of RTMP, and passphrases for SRT.
import { hash } from 'node:crypto';

const prefix = 'live_';
/** The random part: 192 bits cannot be guessed. */
export const liveKeyBytes = 24;

/** The key in the form that its user receives, once. @param bytes random bytes */
export function liveKey(bytes: Buffer): string {
  return prefix + bytes.toString('base64url');
}

/** 192 random bits again; SRT allows 10 to 79 characters. */
export const livePassphraseBytes = 24;

/** A passphrase in the form that its user receives, once, without characters that addresses would escape. */
export function livePassphrase(bytes: Buffer): string {
  return bytes.toString('base64url');
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
