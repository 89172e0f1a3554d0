// Loaded bytes until a browser shows something: limits after gzip, and the files that the document names.
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundlePages } from '../../lib/shared/bundle-web.ts';

const bounds = { signInKiB: 120, firstKiB: 200, screenKiB: 80 };

const { files, first, signIn, screens } = bundlePages();
const kibibytesOf = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + gzipSync(files.get(path)!, { level: 9 }).length, 0) / 1024;

test('the first load is small', () => {
  expect(first.length).toBeGreaterThanOrEqual(2);
  expect(first.some((path) => path.endsWith('.woff2'))).toBe(true);
  expect(kibibytesOf(['index.html', ...first])).toBeLessThan(bounds.firstKiB);
  expect(kibibytesOf(['index.html', ...signIn])).toBeLessThan(bounds.signInKiB);
});

test('each screen loads little more, and no screen comes with the first load', () => {
  expect([...screens.keys()].filter((path) => !path.endsWith('-page.tsx'))).toEqual(['lambda/web/app/palette.tsx']);
  const sizes = [...screens].map(([screen, paths]) => ({ screen, kibibytes: kibibytesOf(paths) }));
  expect(sizes.filter(({ kibibytes }) => kibibytes === 0 || kibibytes >= bounds.screenKiB)).toEqual([]);
});

/** Parts that are loaded on demand and cannot be small: the player of previews, and the editor of GraphQL. */
const onDemand = { player: 120, 'graphql-editor': 190 };

test('what is loaded on demand comes with no screen, and has bounds of its own', () => {
  const large = [...files.keys()].filter((path) => path.endsWith('.js') && kibibytesOf([path]) >= bounds.screenKiB);
  const sizes = large
    .filter((path) => !first.includes(path))
    .map((path) => [path.replace(/^assets\/(.*)-\w+\.js$/, '$1'), kibibytesOf([path])] as const);
  expect(sizes.map(([name]) => name).toSorted()).toEqual(Object.keys(onDemand).toSorted());
  for (const [name, kibibytes] of sizes)
    expect([name, kibibytes < onDemand[name as keyof typeof onDemand]]).toEqual([name, true]);
});

test('the document names each file of the first load, so that none waits for another', () => {
  const html = Buffer.from(files.get('index.html')!).toString();
  for (const path of first) expect(html).toContain(`"/${path}"`);
});
