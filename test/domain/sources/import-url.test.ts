// Links to import from: allowed ones, whatever the spelling of their address, and the names that they give.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOfImportURL, fileNameOf, nameOfImport } from '../../../lambda/domain/sources/import-url.ts';

const inAWS = (url: string) => faultOfImportURL(url, { allowPrivateAddresses: false });
const here = (url: string) => faultOfImportURL(url, { allowPrivateAddresses: true });

test.for([
  'https://example.com/a.mp4',
  'http://example.com:8080/a?token=x#t=1',
  'HTTPS://EXAMPLE.com',
  'https://8.8.8.8/a',
  'https://[2606:4700:4700::1111]/a',
  'https://bücher.example/ä',
  'https://localhost.example.com/a',
  'https://example.com./a',
])('%s may be used everywhere', (url) => {
  expect([inAWS(url), here(url)]).toEqual([null, null]);
});

test.for([
  ['private', 'http://10.0.0.1/', 'http://192.168.1.1:8080/', 'http://[fc00::1]/', 'http://172.16.0.1/'],
  [
    'loopback',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
  ],
  [
    'a name of this machine or network',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://db.internal/',
    'http://printer.local/',
    'http://metadata.google.internal/',
  ],
])('%s: only where private addresses are allowed', ([, ...urls]) => {
  expect(urls.map((url) => [url, inAWS(url), here(url)])).toEqual(urls.map((url) => [url, 'forbidden', null]));
});

test.for([
  [
    'metadata',
    'http://169.254.169.254/latest',
    'http://169.254.169.254./',
    'http://2852039166/',
    'http://0xA9FEA9FE/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
    'http://[fd00:ec2::254]/',
  ],
  [
    'metadata inside IPv6',
    'http://[::ffff:169.254.169.254]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://[::a9fe:a9fe]/',
  ],
  ['link-local', 'http://[fe80::1]/', 'http://169.254.0.1/'],
  ['unspecified', 'http://0.0.0.0/', 'http://0/', 'http://[::]/'],
  [
    'another scheme',
    'ftp://example.com/a',
    'file:///etc/passwd',
    'data:video/mp4,x',
    'javascript:alert(1)',
    'rtmp://example.com/a',
    's3://bucket/key',
  ],
])('%s: forbidden everywhere', ([, ...urls]) => {
  expect(urls.map((url) => [url, inAWS(url), here(url)])).toEqual(urls.map((url) => [url, 'forbidden', 'forbidden']));
});

test.for([
  '',
  'example.com/a',
  '//example.com/a',
  'http://',
  'http://a b/',
  'http://1.2.3.4.5/',
  'http://[fe80::1%25eth0]/',
  'https://user:secret@example.com/',
  'https://user@example.com/',
])('%j is malformed', (url) => {
  expect([inAWS(url), here(url)]).toEqual(['malformed', 'malformed']);
});

describe('the name of an import', () => {
  test.for([
    ['https://example.com/films/my%20clip.mp4?sig=1', 'my clip.mp4'],
    ['https://example.com/films/', 'films'],
    ['https://example.com', 'example.com'],
    ['https://example.com/%E2%82%AC.mp4', '€.mp4'],
    ['https://example.com/100%.mp4', '100%.mp4'],
    ['https://example.com/a%2F..%2Fb.mp4', 'b.mp4'],
  ])('from %s is %s', ([url, name]) => {
    expect(nameOfImport(new URL(url!))).toBe(name);
  });

  test('is always one that can be stored and shown', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '/', '\\', '\u0000', '\n', ' ', '€', '\ud83d', '😀'), maxLength: 600 }),
        (text) => {
          const name = fileNameOf(text);
          fc.pre(name !== null);
          expect(name.length).toBeLessThanOrEqual(255);
          expect(name).toBe(name.toWellFormed());
          expect(name).not.toMatch(/[\p{Cc}/\\]/u);
        },
      ),
    );
  });
});
