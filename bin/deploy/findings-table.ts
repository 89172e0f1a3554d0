// Prints the findings of the checks as one table: name, need, finding, remedy.
import type { Terminal } from '../local/terminal.ts';
import type { Finding } from './check.ts';

const marks = { there: '✓', missing: '✗', warning: '!' } as const;
const cellWidths = [27, 27, 30];
const remedyWidth = 70;
const gap = '  ';
/** The fewest columns for the whole table. A narrower terminal gets the last column below the others. */
const wideColumns = 160;

/** @param columns width of the terminal. Commands are never wrapped, so that they can be copied. */
export function printFindings(findings: readonly Finding[], terminal: Terminal, columns: number): void {
  const isWide = columns >= wideColumns;
  const print = (mark: string, cells: readonly string[], remedy: readonly string[]) => {
    const before = cells.map((cell, index) => wrapped(cell, cellWidths[index]!));
    const beside = isWide ? [...before, remedy] : before;
    const height = Math.max(...beside.map((lines) => lines.length));
    for (let index = 0; index < height; index++) {
      const line = beside.map((lines, column) => (lines[index] ?? '').padEnd(cellWidths[column] ?? 0));
      terminal.line([index === 0 ? mark : ' ', ...line].join(gap).trimEnd());
    }
    if (!isWide) for (const line of remedy) terminal.line(`      ${line}`);
  };
  print(' ', ['what', 'needed', 'found'], ['what to do']);
  for (const { what, needed, found, state, remedy } of findings)
    print(
      marks[state],
      [what, needed, found],
      remedy.flatMap((line) => (line.startsWith('$ ') ? [line] : wrapped(line, remedyWidth))),
    );
}

/** Wraps between words. A word that is longer than a line, such as a URL, is cut. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').flatMap((whole) => pieces(whole, width))) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function pieces(word: string, width: number): string[] {
  return word.length <= width ? [word] : [word.slice(0, width), ...pieces(word.slice(width), width)];
}
