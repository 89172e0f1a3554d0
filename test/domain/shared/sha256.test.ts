// What we compute of a text is what Node does.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha256 } from '../../../lambda/domain/shared/sha256.ts';

const known = (text: string) => createHash('sha256').update(text).digest('hex');

it('is SHA-256, of every length of a block and of any characters', () => {
  for (let length = 0; length < 130; length++) expect(sha256('a'.repeat(length))).toBe(known('a'.repeat(length)));
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => sha256(text) === known(text)));
});
