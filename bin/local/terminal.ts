// The output of a run on the terminal: steps with their durations, short tables, lines.
import { styleText } from 'node:util';
import type { WriteStream } from 'node:tty';

/** The target of the output: a terminal, or a file or pipe. */
export type Output = Pick<NodeJS.WritableStream, 'write'> & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

export interface Terminal {
  /**
   * Shows `text` while `work` runs, then "✓ text (0.4 s)", or "✗ text" if `work` throws. Steps may run in parallel. A
   * detail is shown beside `text` until the next one, only on a terminal, not in a file or pipe.
   * @throws the error of `work`
   */
  step<Result>(text: string, work: (showDetail: (detail: string) => void) => Promise<Result>): Promise<Result>;
  /** Writes rows of cells in aligned columns. The first cell of a row is its heading. */
  table(rows: readonly (readonly string[])[]): void;
  line(text?: string): void;
}

/** Writes colours only to a terminal, and not if the variable NO_COLOR is set. */
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
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        line(`${style('green', '✓')} ${text} ${style('dim', `(${seconds} s)`)}`);
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
        const padded = row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widthOf(column))));
        const [heading = '', ...cells] = padded;
        line(['', style('bold', heading), ...cells].join('  '));
      }
    },
  };
}
