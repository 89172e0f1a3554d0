// The log of a local run: one file, new at each start, for events of this process and lines of its children.
import { createWriteStream } from 'node:fs';
import type { WriteStream } from 'node:fs';
import type { Log } from '../../lambda/log.ts';

export interface RunLog {
  /** Writes an event as one line of JSON. Errors among its fields are written with their stack. */
  readonly log: Log;
  /** Writes a line unchanged. A line that the disk has no room for is lost. */
  readonly writeLine: (line: string) => void;
}

/** @param file made readable by its owner only */
export function openRunLog(file: string): RunLog {
  const open = (flags: 'w' | 'a') =>
    createWriteStream(file, { flags, mode: 0o600 }).on('error', () => {
      stream = null;
    });
  let stream: WriteStream | null = open('w');
  const writeLine = (line: string) => {
    stream ??= open('a');
    stream.write(`${line}\n`);
  };
  const stackOfErrors = (_key: string, value: unknown) => (value instanceof Error ? value.stack : value);
  return {
    writeLine,
    log: (event, fields) =>
      writeLine(JSON.stringify({ at: new Date().toISOString(), event, ...fields }, stackOfErrors)),
  };
}
