// Loaded bytes until a browser shows something: limits after gzip, and the files that the document names.
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { languages } from '../../lambda/web/languages.ts';
import { signInPaths } from '../../lambda/web/paths.ts';
import { bundlePages, sourceOf } from '../../lib/shared/bundle-web.ts';
import { catalogueOf } from '../support/catalogues.ts';

const bounds = { signInKiB: 120, firstKiB: 200, screenKiB: 80 };

const { files, loads } = bundlePages();
const textOf = (path: string) => Buffer.from(files.get(path)!).toString();
const kibibytesOf = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + gzipSync(files.get(path)!, { level: 9 }).length, 0) / 1024;
const scripts = [...files.keys()].filter((path) => path.endsWith('.js'));

describe.each(languages)('in the language %s', (language) => {
  const { document, first, signIn, screens } = loads[language];

  test('the first load is small', () => {
    expect(first.length).toBeGreaterThanOrEqual(2);
    expect(first.some((path) => path.endsWith('.woff2'))).toBe(true);
    expect(kibibytesOf([document, ...first])).toBeLessThan(bounds.firstKiB);
    expect(kibibytesOf([document, ...signIn])).toBeLessThan(bounds.signInKiB);
  });

  test('each screen loads little more, and no screen comes with the first load', () => {
    expect([...screens.keys()].filter((path) => !path.endsWith('-page.tsx'))).toEqual(['lambda/web/app/palette.tsx']);
    const sizes = [...screens].map(([screen, paths]) => ({ screen, kibibytes: kibibytesOf(paths) }));
    expect(sizes.filter(({ kibibytes }) => kibibytes === 0 || kibibytes >= bounds.screenKiB)).toEqual([]);
  });

  test('the document says its language, and asks early for the files of the address, but for no other', () => {
    const html = textOf(document);
    expect(html).toContain(`<html lang="${language}">`);
    for (const path of signIn) expect(html).toContain(`"/${path}"`);
    const shell = first.filter((path) => !signIn.includes(path));
    expect(shell.filter((path) => html.includes(path))).toEqual([]);
    for (const at of ['/', '/streams']) expect(askedAt(at)).toEqual({ early: shell, later: [] });
    for (const path of signInPaths) {
      const { early, later } = askedAt(path);
      expect([path, later]).toEqual([path, shell]);
      expect(early).toEqual(expect.arrayContaining([...screens.get(sourceOf(path))!]));
      expect(kibibytesOf([...signIn, ...early])).toBeLessThan(bounds.signInKiB);
    }
  });

  /** The files that the first script asks for at an address: at once, and after the page has loaded. */
  function askedAt(pathname: string): { readonly early: readonly string[]; readonly later: readonly string[] } {
    const asked: { rel?: string; href?: string }[] = [];
    const page = { createElement: () => ({}), head: { append: (link: object) => asked.push(link) } };
    let loaded = (): void => {};
    const addEventListener = (type: string, listener: () => void) => {
      expect(type).toBe('load');
      loaded = listener;
    };
    const preload = signIn.find((path) => path.includes('/preload-'))!;
    runInNewContext(textOf(preload), { document: page, location: { pathname }, addEventListener });
    const atOnce = asked.length;
    loaded();
    expect(asked.every(({ rel }) => rel === 'modulepreload')).toBe(true);
    const paths = asked.map(({ href }) => href!.slice(1));
    return { early: paths.slice(0, atOnce), later: paths.slice(atOnce) };
  }
});

/** Parts that are loaded on demand and cannot be small: the player of previews, and the editor of GraphQL. */
const onDemand = { player: 120, 'graphql-editor': 190 };

test('what is loaded on demand comes with no screen, and has bounds of its own', () => {
  const large = scripts.filter((path) => kibibytesOf([path]) >= bounds.screenKiB);
  const sizes = large
    .filter((path) => languages.every((language) => !loads[language].first.includes(path)))
    .map((path) => [path.replace(/^assets\/(.*)-\w+\.js$/, '$1'), kibibytesOf([path])] as const);
  expect([...new Set(sizes.map(([name]) => name))].toSorted()).toEqual(Object.keys(onDemand).toSorted());
  for (const [name, kibibytes] of sizes)
    expect([name, kibibytes < onDemand[name as keyof typeof onDemand]]).toEqual([name, true]);
});

test('a reader of German loads no English text', async () => {
  const [english, german] = await Promise.all([catalogueOf('en'), catalogueOf('de')]);
  const { document, first, screens } = loads.de;
  const loaded = [document, ...first, ...[...screens.values()].flat()].map(textOf).join('\n');
  const sentences = (catalogue: typeof english, other: typeof english) =>
    [...catalogue]
      .filter(([key, entry]) => typeof entry === 'string' && entry !== other.get(key))
      .map(([, entry]) => String(entry))
      .filter((entry) => /^\w+ [\w ]{8,}\.?$/.test(entry));
  expect(sentences(english, german).filter((entry) => loaded.includes(entry))).toEqual([]);
  const ofGerman = sentences(german, english);
  expect(ofGerman.filter((entry) => loaded.includes(entry)).length).toBeGreaterThan(0.9 * ofGerman.length);
});
