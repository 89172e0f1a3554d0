// The reference of the library: the committed file is made from the comments of today.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiReference } from '../../bin/library/api-reference.ts';
import { libraryModules } from '../../bin/library/library-package.ts';

const root = join(import.meta.dirname, '../..');
const text = apiReference(root, libraryModules(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))));

test('lib/API.md is made from the comments in the code: npm run library -- --reference', () => {
  expect(readFileSync(join(root, 'lib/API.md'), 'utf8')).toBe(text);
});

test('everything that the library exports has a comment', () => {
  const sections = [...text.matchAll(/^### (\w+)\n([^]*?)(?=^##|$(?![^]))/gm)];
  expect(sections.length).toBeGreaterThan(20);
  const bare = sections.filter(([, , body = '']) => body.replaceAll(/^(?:\||`).*$/gm, '').trim() === '');
  expect(bare.map(([, name]) => name)).toEqual([]);
  const rows = [...text.matchAll(/^\| `([^`]+)` \| .* \|  \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual([]);
});
