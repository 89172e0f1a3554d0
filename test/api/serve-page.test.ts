// The web page of a stage without a distribution: one document at every address, and files that never change.
import { expect, test } from 'vitest';
import { servePage } from '../../lambda/pages/serve-page.ts';

const files = new Map([
  ['index.html', '<title>Streams</title>'],
  ['assets/main-ABC.js', 'start()'],
]);
const ask = (path: string, httpMethod = 'GET') => servePage({ httpMethod, path }, files, "default-src 'none'");

test.each(['/', '/streams/str_1', '/sign-in'])('%s is answered with the document, which is asked for anew', (path) => {
  const { statusCode, headers, body } = ask(path);
  expect([statusCode, body]).toEqual([200, '<title>Streams</title>']);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': "default-src 'none'",
    'x-frame-options': 'DENY',
  });
});

test('a file is kept by browsers', () => {
  expect(ask('/assets/main-ABC.js')).toMatchObject({
    statusCode: 200,
    body: 'start()',
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': expect.stringContaining('immutable'),
    },
  });
});

test.each([
  ['/assets/main-OLD.js', 'GET'],
  ['/../index.html', 'GET'],
  ['/', 'POST'],
])('%s by %s is not there', (path, method) => {
  expect(ask(path, method).statusCode).toBe(404);
});
