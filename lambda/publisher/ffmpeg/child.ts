// Starts ffmpeg and ffprobe so that none of them outlives this process, whatever ended it.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { Readable, Writable } from 'node:stream';
import { deathSignalCommand, hasDeathSignal } from '../death-signal.ts';

const lineReadAheadBytes = 64 * 1024;
const maxLogLines = 20;
const maxLogLineCharacters = 300;
/** Before addresses are blanked; ffmpeg's own lines end at 1024. What is cut off is the end, so an address always keeps its beginning. */
const maxRawLineCharacters = 4096;
/** The shell's answer for a program that is not there. */
const exitCodeNotFound = 127;
const crashSignals: ReadonlySet<NodeJS.Signals> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE']);

/** ffmpeg or ffprobe could not do its work: missing, killed, or the source could not be read. Never the media's fault, so try again. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

export interface ChildExit {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It was killed from outside or is not there, so its end says nothing about what it was given. A crash is not that: some files make ffmpeg crash. */
  readonly brokenOff: boolean;
}

export interface Child {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the process is gone and its output was taken over, by the reader or by `end`; never rejects. */
  readonly exited: Promise<ChildExit>;
  /** The last lines of stderr, every address and `sourceURL` blanked as `<source>`. */
  log(): string;
  /** Kills it and resolves when it is gone. May be called again. */
  end(): Promise<void>;
}

export interface ChildOptions {
  /** The address in the arguments. It carries a signature, so it is kept out of `log()`. */
  readonly sourceURL?: string;
  /** How far it may get ahead of the reader of `stdout`; then its pipe is full and it waits. */
  readonly readAheadBytes: number;
  /** Ends it as `end` does. */
  readonly signal?: AbortSignal;
  /** Gives way to everything else on the machine. */
  readonly background?: boolean;
}

export function startChild(
  program: string,
  programArguments: readonly string[],
  { sourceURL, readAheadBytes, signal, background = false }: ChildOptions,
): Child {
  // Without a death signal, its closed pipes end it.
  const [command, ...first] = hasDeathSignal() ? [...deathSignalCommand('SIGKILL'), program] : [program];
  const spawned = spawn(command, [...first, ...programArguments], { stdio: 'pipe', env: childEnvironment() });
  if (background && spawned.pid !== undefined) setPriority(spawned.pid, constants.priority.PRIORITY_LOW);
  // Writing to a process that has ended is not an error of its own: `exited` tells.
  spawned.stdin.on('error', () => {});
  const stdout = spawned.stdout.pipe(new PassThrough({ highWaterMark: readAheadBytes }));
  spawned.stdout.once('close', () => stdout.end());
  const log = keepLog(spawned.stderr, sourceURL);
  const exited = new Promise<ChildExit>((resolve) => {
    spawned.once('error', (error: NodeJS.ErrnoException) => {
      log.add(`could not start: ${error.code}`);
      resolve({ code: null, signal: null, brokenOff: true });
    });
    spawned.once('close', (code, signal) =>
      resolve({ code, signal, brokenOff: code === exitCodeNotFound || (signal !== null && !crashSignals.has(signal)) }),
    );
  });
  const kill = (): void => {
    spawned.kill('SIGKILL');
    spawned.stdout.destroy();
  };
  signal?.addEventListener('abort', kill);
  void exited.then(() => signal?.removeEventListener('abort', kill));
  if (signal?.aborted) kill();

  return {
    stdin: spawned.stdin,
    stdout,
    exited,
    log: () => log.text(),
    end: async () => {
      kill();
      await exited;
    },
  };
}

export interface RunLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

export interface FinishedRun extends ChildExit {
  readonly log: string;
  /** It took or wrote more than the limits allow and was killed. */
  readonly overLimits: boolean;
}

/**
 * Runs a program to its end.
 * @param onLine gets each line of its output
 * @throws {ToolError} when the program is missing or was killed from outside; the signal's reason
 */
export async function runChild(
  program: string,
  programArguments: readonly string[],
  sourceURL: string,
  limits: RunLimits,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<FinishedRun> {
  signal.throwIfAborted();
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), limits.timeoutMs);
  const child = startChild(program, programArguments, {
    sourceURL,
    readAheadBytes: lineReadAheadBytes,
    signal: AbortSignal.any([signal, over.signal]),
  });
  child.stdin.end();
  let outputBytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    outputBytes += chunk.length;
    if (outputBytes > limits.maxOutputBytes) over.abort();
  });
  for await (const line of createInterface({ input: child.stdout })) onLine(line);
  const exit = await child.exited;
  clearTimeout(timer);
  signal.throwIfAborted();
  const overLimits = over.signal.aborted;
  if (exit.brokenOff && !overLimits) throw new ToolError(describeExit(exit, child.log()));
  return { ...exit, log: child.log(), overLimits };
}

/**
 * A parser of strangers' files gets no credentials. Without converters for character sets, which nothing here needs, the static
 * ffprobe of npm no longer crashes on the service name in every MPEG transport stream (it loads the machine's, of another libc). SVT-AV1
 * tells of errors only: it writes past ffmpeg's own log level.
 */
function childEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, GCONV_PATH: '/nonexistent', SVT_LOG: '1' };
}

/** For messages of errors that are ours. */
export function describeExit(exit: ChildExit, log: string): string {
  return `ffmpeg ended with ${exit.signal ?? exit.code ?? 'no start'}: ${log || 'no message'}`;
}

function keepLog(stderr: Readable, sourceURL: string | undefined): { add(line: string): void; text(): string } {
  const lines: string[] = [];
  let incomplete = '';
  const blank = (line: string): string =>
    (sourceURL === undefined ? line : line.replaceAll(sourceURL, '<source>'))
      .replaceAll(/\b[a-z][a-z0-9+.-]{0,15}:\/\/\S+?(?=:?\s|:?$)/giu, '<source>')
      .slice(0, maxLogLineCharacters);
  const add = (line: string): void => {
    if (line.trim() === '') return;
    lines.push(blank(line.slice(0, maxRawLineCharacters)));
    if (lines.length > maxLogLines) lines.shift();
  };
  stderr.setEncoding('utf8').on('data', (text: string) => {
    const pieces = (incomplete + text).split(/[\r\n]/u);
    incomplete = pieces.pop()!.slice(0, maxRawLineCharacters);
    pieces.forEach(add);
  });
  return { add, text: () => [...lines, ...(incomplete === '' ? [] : [blank(incomplete)])].join('\n') };
}
