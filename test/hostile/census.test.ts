// The census of the hostile suite: every parser of strangers' bytes and every way out is in its tables.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { notFed, parsers } from './parsers.ts';
import { waysOut } from './ways-out.ts';

const root = join(import.meta.dirname, '../..');
/** Code that strangers do not reach: the page in the browser, and commands of operators. */
const isReached = (path: string) => !/^(web|operate|migrate)\//.test(path);
const files = globSync('**/*.ts', { cwd: join(root, 'lambda') })
  .filter(isReached)
  .map((path) => ({ path, text: readFileSync(join(root, 'lambda', path), 'utf8') }));

test('every function that reads bytes or texts is fed, or has a reason why not', () => {
  const exported = /^export (?:async )?function\*? ((?:parse|read|decode|split)[A-Z]\w*)/gm;
  const readers = files.flatMap(({ text }) => [...text.matchAll(exported)].map(([, name]) => name!));
  const named = readers.filter((name) => !name.endsWith('Environment'));
  const fed = Object.values(parsers).flatMap(({ covers }) => covers);
  expect([...fed, ...Object.keys(notFed)].toSorted()).toEqual([...new Set(named)].toSorted());
});

test('every module that opens connections has a hostile server, or a reason why no stranger is there', () => {
  const opens =
    /^import \{[^}]*\b(?:connect|createConnection|createSocket|createServer|request|get|Agent|Socket)\b[^}]*\} from 'node:(?:net|tls|dgram|https?|http2)'|(?:^|[^.\w])fetch\(/m;
  const found = files.filter(({ text }) => opens.test(text)).map(({ path }) => path);
  expect(Object.keys(waysOut).toSorted()).toEqual(found.toSorted());
  const tests = Object.values(waysOut).flatMap((way) => ('test' in way ? [way.test] : []));
  expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
