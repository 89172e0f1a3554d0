// Breaks a text into lines that fit a width.

/** Marks text that was cut off. */
export const ellipsis = '…';

export interface Room {
  readonly widthOf: (text: string) => number;
  readonly widest: number;
  /** Most lines. */
  readonly most: number;
}

/** The lines of a text, broken between words. A text that does not fit ends in an ellipsis. */
export function fittedLines(text: string, { widthOf, widest, most }: Room): string[] {
  const words = segmentsOf(text, 'word');
  const lines: string[] = [];
  let line = '';
  for (const [index, word] of words.entries()) {
    if (widthOf((line + word).trim()) <= widest || line === '') {
      line += word;
      continue;
    }
    if (lines.length === most - 1) {
      line += words.slice(index).join('');
      break;
    }
    lines.push(line.trim());
    line = word.trimStart();
  }
  return [...lines, cutOff(line.trim(), widthOf, widest)].filter((each) => each !== '');
}

/** Whether a text is read from right to left, by its first letter with a direction (UAX #9, P2 and P3). */
export function isRightToLeft(text: string): boolean {
  const first = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]|\p{L}/u.exec(text)?.[0] ?? '';
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u.test(first);
}

function cutOff(line: string, widthOf: Room['widthOf'], widest: number): string {
  if (widthOf(line) <= widest) return line;
  const characters = segmentsOf(line, 'grapheme');
  let [fits, tooMany] = [0, characters.length];
  const cut = (count: number) => `${characters.slice(0, count).join('').trimEnd()}${ellipsis}`;
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (widthOf(cut(middle)) <= widest) fits = middle;
    else tooMany = middle;
  }
  return cut(fits);
}

function segmentsOf(text: string, granularity: 'word' | 'grapheme'): string[] {
  return Array.from(new Intl.Segmenter(undefined, { granularity }).segment(text), ({ segment }) => segment);
}
