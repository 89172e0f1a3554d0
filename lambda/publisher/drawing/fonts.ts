// Which fonts a text needs: of those that come as packages, the files that have its characters.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ellipsis } from './lines.ts';

const { resolve } = createRequire(import.meta.url);
const noto = (name: string) => `@fontsource-variable/noto-sans${name}`;
/** Han characters look as in the language of the text, and the first font that has one draws it. */
const east = { japanese: noto('-jp'), korean: noto('-kr'), chinese: noto('-sc') };
const scripts = [
  noto(''),
  noto('-arabic'),
  noto('-armenian'),
  noto('-bengali'),
  noto('-georgian'),
  noto('-gujarati'),
  noto('-gurmukhi'),
  noto('-hebrew'),
  noto('-kannada'),
  noto('-malayalam'),
  noto('-tamil'),
  noto('-telugu'),
  noto('-thai'),
];
/** These are said to have the signs of all scripts, whatever the font has. */
const strangeSubsets = new Set(['math', 'symbols']);
/** Its subsets are of a kind that Skia does not draw; this one has all of them. */
const emojiFile = 'noto-color-emoji-emoji-400-normal.woff2';
const emojiPath = `@fontsource/noto-color-emoji/files/${emojiFile}`;

/** A file of a font, which is a family of its own: of several files of one family, one alone would be looked at. */
export interface FontFile {
  readonly path: string;
  readonly family: string;
}

/** The files that have characters of a text, those that come first being preferred. */
export function fontFilesFor(text: string): FontFile[] {
  const points = new Set(Array.from(`${text}${ellipsis}`, (character) => character.codePointAt(0)!));
  const files = packagesFor(text).flatMap((name) => {
    const folder = dirname(resolve(`${name}/package.json`));
    const ranges = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8')) as Record<string, string>;
    const subsets = Object.entries(ranges).flatMap(([subset, range]) => {
      const has = strangeSubsets.has(subset) ? [] : pointsIn(range, points);
      return has.length > 0 ? [{ subset, has }] : [];
    });
    for (const { has } of subsets) for (const point of has) points.delete(point);
    return subsets.map(({ subset }) => {
      // Of a font with many characters, subsets are called `[12]`.
      const file = `${name.slice(name.indexOf('/') + 1)}-${subset.replace(/[[\]]/g, '')}-wght-normal.woff2`;
      return { family: file, path: join(folder, 'files', file) };
    });
  });
  // Pictographs that are no emoji of themselves, such as an umbrella, are not in every font that says so.
  return /\p{Extended_Pictographic}|\p{Emoji_Presentation}|\uFE0F/u.test(text)
    ? [...files, { family: emojiFile, path: resolve(emojiPath) }]
    : files;
}

function packagesFor(text: string): string[] {
  const { japanese, korean, chinese } = east;
  const isJapanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
  const isKorean = /\p{Script=Hangul}/u.test(text);
  const likely = isJapanese ? japanese : isKorean ? korean : chinese;
  return [...scripts, ...new Set([likely, korean, chinese, japanese])];
}

/** Those of some characters that are in a range such as `U+0600-06FF,U+25CC`. */
function pointsIn(range: string, points: ReadonlySet<number>): number[] {
  const bounds = range.split(',').map((each) => {
    const [first, last = first] = each.replace('U+', '').split('-');
    return [Number.parseInt(first!, 16), Number.parseInt(last!, 16)] as const;
  });
  return [...points].filter((point) => bounds.some(([from, to]) => point >= from && point <= to));
}
