// Stored parts of a listing: no text of a stranger is longer than our limit, or impossible to store.
import { expect, test } from 'vitest';
import { scanBounds } from '../../lambda/domain/sources/source-scan.ts';
import { FileListing } from '../../lambda/imports/sources/file-listing.ts';

const good = { path: 'a.mp4', url: 'https://e.org/a.mp4', version: '1', fingerprint: null, sizeBytes: 1 };
const host = 'https://e.org/';
const longest = host + 'a'.repeat(scanBounds.urlCharacters - host.length);

test.each([
  ['paths that are too long', { path: 'a'.repeat(scanBounds.pathBytes + 1) }],
  ['paths with a NUL', { path: 'a\0.mp4' }],
  ['paths that are no Unicode', { path: 'a\ud800.mp4' }],
  ['links that are too long', { url: `${longest}a` }],
  ['sizes that are no whole numbers', { sizeBytes: 1.5 }],
  ['sizes below nothing', { sizeBytes: -1 }],
  ['sizes that are no numbers', { sizeBytes: NaN }],
  ['sizes beyond whole numbers', { sizeBytes: 2 ** 53 }],
])('%s are left out', (_what, file) => {
  const listing = new FileListing();
  listing.add({ ...good, ...file });
  expect(listing).toMatchObject({ files: [], leftOut: 1, isWhole: true });
});

test('versions and fingerprints are as short as any, and other ones for other bytes', () => {
  const listing = new FileListing();
  for (const [path, text] of Object.entries({ a: 'x'.repeat(100_000), b: 'x'.repeat(100_001), c: '' }))
    listing.add({ ...good, path, url: longest, version: text, fingerprint: text, sizeBytes: null });
  const { files, leftOut } = listing;
  expect(leftOut).toBe(0);
  expect(files.map(({ version }) => version.length)).toEqual([43, 43, 43]);
  expect(new Set(files.map(({ version }) => version)).size).toBe(3);
  expect(files.map(({ fingerprint }) => fingerprint)).toEqual(files.map(({ version }) => version));
});
