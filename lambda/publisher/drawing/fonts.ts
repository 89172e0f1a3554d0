// Selects the font files for a text: those of the npm packages that have its characters.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ellipsis } from './lines.ts';

const { resolve } = createRequire(import.meta.url);
const noto = (name: string) => `@fontsource-variable/noto-sans${name}`;
/** Han characters look different by language. The first font that has a character draws it. */
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
/** Subsets that claim characters of all scripts, whether or not the font has them. */
const strangeSubsets = new Set(['math', 'symbols']);
/** The file with all emoji. Skia cannot draw the format of the subsets. */
const emojiFile = 'noto-color-emoji-emoji-400-normal.woff2';
const emojiPath = `@fontsource/noto-color-emoji/files/${emojiFile}`;

/** A font file. Each file is registered as its own family, as Skia uses only one file of a family. */
export interface FontFile {
  readonly path: string;
  readonly family: string;
}

/** The files that have characters of a text, preferred ones first. */
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
      // Fonts with many characters have numbered subsets, such as `[12]`.
      const file = `${name.slice(name.indexOf('/') + 1)}-${subset.replace(/[[\]]/g, '')}-wght-normal.woff2`;
      return { family: file, path: join(folder, 'files', file) };
    });
  });
  // Pictographs that are not emoji by default, such as an umbrella, are missing in some fonts that claim them.
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

/** The characters that are in a range such as `U+0600-06FF,U+25CC`. */
function pointsIn(range: string, points: ReadonlySet<number>): number[] {
  const bounds = range.split(',').map((each) => {
    const [first, last = first] = each.replace('U+', '').split('-');
    return [Number.parseInt(first!, 16), Number.parseInt(last!, 16)] as const;
  });
  return [...points].filter((point) => bounds.some(([from, to]) => point >= from && point <= to));
}
