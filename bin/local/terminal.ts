// What the run writes to the terminal: steps with their durations, short tables, lines.
import { styleText } from 'node:util';
import type { WriteStream } from 'node:tty';

/** Where to write: a terminal, or a file or pipe. */
export type Output = Pick<NodeJS.WritableStream, 'write'> & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

export interface Terminal {
  /**
   * Shows `text` while `work` runs, then "✓ text (0.4 s)", or "✗ text" if it throws, which is passed on. Several may run at once.
   * `work` may tell what it is at; a terminal shows that while it lasts, other outputs leave it out.
   */
  step<Result>(text: string, work: (showDetail: (detail: string) => void) => Promise<Result>): Promise<Result>;
  /** Rows of cells, in aligned columns; the first column is the heading of its row. */
  table(rows: readonly (readonly string[])[]): void;
  line(text?: string): void;
}

/** Colours only on a terminal without NO_COLOR. */
export function openTerminal(output: Output): Terminal {
  const isTerminal = output.isTTY === true;
  const style = (format: 'green' | 'red' | 'dim' | 'bold', text: string) =>
    isTerminal && !process.env.NO_COLOR ? styleText(format, text, { validateStream: false }) : text;
  const running = new Set<{ text: string }>();
  const eraseStatus = isTerminal ? '\r\u001B[K' : '';

  const showStatus = () => {
    if (!isTerminal) return;
    const status = [...running].map(({ text }) => text).join(', ');
    output.write(`${eraseStatus}${style('dim', status.slice(0, (output.columns ?? 80) - 1))}`);
  };
  const line = (text = '') => {
    output.write(`${eraseStatus}${text}\n`);
    if (running.size > 0) showStatus();
  };

  return {
    line,
    async step(text, work) {
      const started = performance.now();
      const status = { text: `${text} …` };
      running.add(status);
      showStatus();
      try {
        const result = await work((detail) => {
          status.text = `${text}: ${detail} …`;
          showStatus();
        });
        running.delete(status);
        line(
          `${style('green', '✓')} ${text} ${style('dim', `(${((performance.now() - started) / 1000).toFixed(1)} s)`)}`,
        );
        return result;
      } catch (error) {
        running.delete(status);
        line(`${style('red', '✗')} ${text}`);
        throw error;
      }
    },
    table(rows) {
      const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
      for (const row of rows) {
        const cells = row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widthOf(column))));
        line(
          `  ${style('bold', cells[0] ?? '')}${cells
            .slice(1)
            .map((cell) => `  ${cell}`)
            .join('')}`,
        );
      }
    },
  };
}
