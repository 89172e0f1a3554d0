// Pages that are no part of the web page, and mails, have its colours: each of them is a file without its stylesheet.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mailColours } from '../../lambda/ports/mailer/mail-page.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
/** Variables of CSS with a colour, and their values. */
const coloursIn = (text: string) =>
  [...text.matchAll(/^\s*(--[a-z-]+): ((?:light-dark\()?#[^;]+);/gmu)].map((match) => match.slice(1));

test.each([
  'lambda/surfaces/small-page.ts',
  'lambda/surfaces/openapi/reference-style.ts',
  'bin/local/watch-page/page.css',
])('%s', (path) => {
  const colours = coloursIn(read(path));
  expect(colours.length).toBeGreaterThan(3);
  expect(coloursIn(read('lambda/web/style/tokens.css'))).toEqual(expect.arrayContaining(colours));
});

test('mails', () => {
  const colours = Object.entries(mailColours).map(([role, [light, dark]]) => [
    `--${role}`,
    `light-dark(${light}, ${dark})`,
  ]);
  expect(coloursIn(read('lambda/web/style/tokens.css'))).toEqual(expect.arrayContaining(colours));
});
