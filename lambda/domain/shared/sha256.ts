// SHA-256 of texts.
import { hash } from 'node:crypto';

/** @returns 64 hexadecimal digits, of the text in UTF-8 */
export function sha256(text: string): string {
  return hash('sha256', text);
}
