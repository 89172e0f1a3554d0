// Words on the terminal: answers on stdout, as a table or as JSON; questions and progress on stderr.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { tableOf } from '../operate/print-reply.ts';
import { LoopFailure } from './failure.ts';

interface Shown {
  readonly lines?: readonly string[];
  readonly rows?: Parameters<typeof tableOf>[0];
}

export type Printer = ReturnType<typeof createPrinter>;

/** Time between two lines of progress if there is no terminal, as in the log of a CI. */
const sparseMs = 10_000;

export function createPrinter(isJson: boolean) {
  const isTerminal = process.stderr.isTTY;
  let last = { words: '', atMs: -Infinity };
  let isOpen = false;
  /** Ends the progress, so that other lines follow below it. */
  const settle = () => {
    if (isOpen) process.stderr.write('\n');
    isOpen = false;
  };
  return {
    settle,
    /** Prints an answer: JSON for programs, else the lines and the rows. */
    answer(data: unknown, { lines = [], rows = [] }: Shown): void {
      settle();
      const [, ...table] = tableOf(rows);
      console.log(isJson ? JSON.stringify(data, null, 2) : [...lines.map(plain), ...table].join('\n'));
    },
    /** Prints a line beside the answer. */
    note(line: string): void {
      settle();
      console.error(plain(line));
    },
    /** Prints one event of many: one line of JSON, or one line of text. */
    event(data: object, line: string): void {
      settle();
      console.log(isJson ? JSON.stringify(data) : plain(line));
    },
    /** Shows how far a long work is. Repeats of the same words are left out. */
    progress(words: string): void {
      const now = performance.now();
      if (words === last.words || (!isTerminal && now - last.atMs < sparseMs)) return;
      last = { words, atMs: now };
      const columns = process.stderr.columns ?? 80;
      process.stderr.write(isTerminal ? `\r\u001B[K${plain(words).slice(0, columns - 1)}` : `${plain(words)}\n`);
      isOpen = isTerminal;
    },
  };
}

// oxlint-disable-next-line no-control-regex -- these characters are what it is about
const movesCursor = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

/** Text without characters that move the cursor, because users chose many of the names. */
export function plain(text: string): string {
  return text.replaceAll(movesCursor, '\uFFFD');
}

/** Reads a secret from stdin; a terminal asks for it. */
export async function readSecret(question: string): Promise<string> {
  return process.stdin.isTTY ? await askSecret(question, '') : (await text(process.stdin)).trim();
}

/**
 * Asks for a secret, which the terminal does not show.
 * @throws {LoopFailure} if there is no terminal
 */
export async function askSecret(question: string, remedy: string): Promise<string> {
  if (!process.stdin.isTTY) throw new LoopFailure('usage', `${question} is needed. ${remedy}`);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  process.stderr.write(`${question} (not shown): `);
  try {
    return (await lines.question('')).trim();
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

/** A length of time: 75 is 1:15. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60)];
  const two = (value: number) => String(value % 60).padStart(2, '0');
  return hours === 0 ? `${minutes}:${two(whole)}` : `${hours}:${two(minutes)}:${two(whole)}`;
}

/** The local time of an instant, to the second. */
export function localTime(iso: string | null): string {
  return iso === null ? '-' : new Date(iso).toLocaleString('sv-SE');
}

export const percent = (share: number): string => `${Math.floor(share * 100)} %`;
export const mebibytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
