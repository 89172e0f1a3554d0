// The SDKs follow the description of the API: both were built from it, and their parts by hand call what it has.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { builtFrom, readBuilt } from '../../bin/sdk/build-sdk.ts';
import openapi from './openapi.json' with { type: 'json' };

const byHand = join(import.meta.dirname, '../../lambda/surfaces/sdk');

it('were built from the description as it is: if not, run `npm run sdk`, and look at what it says', async () => {
  expect(await readBuilt()).toEqual(builtFrom(openapi));
});

it('are built again for each change that generators see, and for no change of words', () => {
  const changed = (edit: (copy: typeof openapi) => void) => {
    const copy = structuredClone(openapi);
    edit(copy);
    return builtFrom(copy);
  };
  const same = builtFrom(openapi);
  expect(changed(({ paths }) => (paths['/streams'].get.description = 'Other words.'))).toEqual(same);
  expect(changed(({ paths }) => (paths['/streams'].get.operationId = 'otherStreams'))).not.toEqual(same);
  const { required } = openapi.components.schemas.Stream;
  expect(changed(({ components }) => (components.schemas.Stream.required = required.slice(1)))).not.toEqual(same);
  // A property may have the name of words.
  const named = { type: 'string' } as never;
  const named2 = changed(({ components }) => Object.assign(components.schemas.Stream.properties, { summary: named }));
  expect(named2).not.toEqual(same);
});

it.each([
  ['typescript/loop.ts', /'(GET|POST)',\s+[`']([^`']+)[`']/g],
  ['python/loop.py', /http\.(get|post)\(f?"([^"]+)"/g],
])('call by %s only operations that exist', async (file, calls) => {
  const source = await readFile(join(byHand, file), 'utf8');
  const called = [...source.matchAll(calls)].map(([, method = '', path = '']) => {
    const inDescription = path.replaceAll(/\$?\{\w+\}/g, '{id}');
    return `${method.toLowerCase()} ${inDescription}`;
  });
  expect(called.length).toBeGreaterThanOrEqual(4);
  const offered = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(offered).toEqual(expect.arrayContaining(called));
});
