// Starts ffmpeg and ffprobe so that they never outlive this process, whatever ends it.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { Readable, Writable } from 'node:stream';
import { deathSignalCommand, hasDeathSignal } from '../../container/death-signal.ts';
import { memoryLimitCommand } from '../../container/memory-limit.ts';

const lineReadAheadBytes = 64 * 1024;
const maxLogLines = 20;
const maxLogLineCharacters = 300;
/**
 * Longer lines are cut before addresses in them are removed; ffmpeg's own lines have at most 1024 characters. The cut
 * removes the end of a line, so an address always keeps its beginning and is recognized.
 */
const maxRawLineCharacters = 4096;
/** The exit code of a shell if the program does not exist. */
const exitCodeNotFound = 127;
const crashSignals: ReadonlySet<NodeJS.Signals> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE']);

/**
 * ffmpeg or ffprobe could not do its work: it is missing, it was killed, or the source could not be read. This is never
 * a fault of the media, so a retry may help.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

export interface MediaToolExit {
  /** Null when a signal ended the tool. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /**
   * Whether the tool was killed from outside or is missing, so that its end proves nothing about its input. A crash
   * does not count: some files make ffmpeg crash.
   */
  readonly brokenOff: boolean;
}

export interface RunningMediaTool {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The output of the tool to `pipe:3`. Empty unless `hasSecondOutput`. */
  readonly secondOutput: Readable;
  /** Resolves when the process is gone and its output was read, or dropped by `end`. Never rejects. */
  readonly exited: Promise<MediaToolExit>;
  /** The last lines of stderr, with `<source>` in place of `sourceURL` and of every other address. */
  log(): string;
  /** Kills the process. Resolves when it is gone. May be called again. */
  end(): Promise<void>;
}

export interface MediaToolOptions {
  /** The address in the arguments. It carries a signature, so `log()` does not show it. */
  readonly sourceURL?: string;
  /** Bytes that the tool may be ahead of the reader of `stdout`. Then its pipe is full, and it waits. */
  readonly readAheadBytes: number;
  /** Whether the tool has `pipe:3` for a second output, with the same `readAheadBytes`. */
  readonly hasSecondOutput?: boolean;
  /** Ends the tool like `end`. */
  readonly signal?: AbortSignal;
  /**
   * Whether the tool has the lowest priority on the machine. `waited for`: it has a low one, before the other tools in
   * the background and behind those of streams, as a user waits for its result.
   */
  readonly background?: boolean | 'waited for';
  /** Limit of the tool's memory in MiB; absent: none. Linux only. */
  readonly memoryMiB?: number | undefined;
}

/** Memory limit for examining. A film of 8192 × 4320 in HEVC with 10 bits takes 0.8 GiB. */
export const examiningMemoryMiB = 1536;
/** OOM scores: when memory runs out, the kernel kills tools before agents, and background tools first. */
const endedFirst = { background: 1000, foreground: 500 } as const;

export function startMediaTool(
  program: string,
  programArguments: readonly string[],
  options: MediaToolOptions,
): RunningMediaTool {
  const { sourceURL, readAheadBytes, hasSecondOutput = false, signal, background = false, memoryMiB } = options;
  const memory = { mebibytes: memoryMiB ?? null, endedFirst: endedFirst[background ? 'background' : 'foreground'] };
  // Without a death signal, the tool ends when it finds its pipes closed.
  const [command, ...first] = hasDeathSignal()
    ? [...deathSignalCommand('SIGKILL'), ...memoryLimitCommand(memory), program]
    : [program];
  const stdio: 'pipe'[] = ['pipe', 'pipe', 'pipe', ...(hasSecondOutput ? (['pipe'] as const) : [])];
  const spawned = spawn(command, [...first, ...programArguments], { stdio, env: toolEnvironment() });
  const { stdin, stdout: output, stderr: errors } = spawned;
  const furtherOutput = (spawned.stdio[3] ?? undefined) as Readable | undefined;
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  if (background && spawned.pid !== undefined)
    setPriority(spawned.pid, background === 'waited for' ? PRIORITY_BELOW_NORMAL : PRIORITY_LOW);
  // `exited` reports the end of the process, so errors of writing to it are ignored.
  stdin.on('error', () => {});
  const aheadOfReader = (written: Readable | undefined): Readable => {
    const read = new PassThrough({ highWaterMark: readAheadBytes });
    if (!written) return read.end();
    written.once('close', () => read.end());
    return written.pipe(read);
  };
  const [stdout, secondOutput] = [aheadOfReader(output), aheadOfReader(furtherOutput)];
  const log = keepLog(errors, sourceURL);
  const exited = new Promise<MediaToolExit>((resolve) => {
    spawned.once('error', (error: NodeJS.ErrnoException) => {
      log.add(`could not start: ${error.code}`);
      resolve({ code: null, signal: null, brokenOff: true });
    });
    spawned.once('close', (code, exitSignal) => {
      const wasKilled = exitSignal !== null && !crashSignals.has(exitSignal);
      resolve({ code, signal: exitSignal, brokenOff: wasKilled || code === exitCodeNotFound });
    });
  });
  const kill = (): void => {
    spawned.kill('SIGKILL');
    output.destroy();
    furtherOutput?.destroy();
  };
  signal?.addEventListener('abort', kill);
  void exited.then(() => signal?.removeEventListener('abort', kill));
  if (signal?.aborted) kill();

  return {
    stdin,
    stdout,
    secondOutput,
    exited,
    log: () => log.text(),
    end: async () => {
      kill();
      await exited;
    },
  };
}

export interface MediaToolLimits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

export interface MediaToolRunOptions {
  /** The address in the arguments, which the log does not show. */
  readonly sourceURL: string;
  readonly limits: MediaToolLimits;
  /** Called for each line of the output. */
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface MediaToolResult extends MediaToolExit {
  readonly log: string;
  /** Whether the tool was killed because it exceeded the limits. */
  readonly overLimits: boolean;
}

/** Whether a tool reached its memory limit, by its log. */
export function isOutOfMemory(log: string): boolean {
  return /Cannot allocate memory|out of memory|malloc.*fail/iu.test(log);
}

/**
 * Examines a file with a tool, at a low priority and with limited memory, and waits for its end.
 * @throws {ToolError} when the tool is missing or was killed from outside; the signal's reason
 */
export async function runMediaTool(
  program: string,
  programArguments: readonly string[],
  { sourceURL, limits, onLine, signal }: MediaToolRunOptions,
): Promise<MediaToolResult> {
  signal.throwIfAborted();
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), limits.timeoutMs);
  const tool = startMediaTool(program, programArguments, {
    sourceURL,
    readAheadBytes: lineReadAheadBytes,
    signal: AbortSignal.any([signal, over.signal]),
    background: true,
    memoryMiB: examiningMemoryMiB,
  });
  tool.stdin.end();
  let outputBytes = 0;
  tool.stdout.on('data', (chunk: Buffer) => {
    outputBytes += chunk.length;
    if (outputBytes > limits.maxOutputBytes) over.abort();
  });
  for await (const line of createInterface({ input: tool.stdout })) onLine(line);
  const exit = await tool.exited;
  clearTimeout(timer);
  signal.throwIfAborted();
  const overLimits = over.signal.aborted;
  if (exit.brokenOff && !overLimits) throw new ToolError(describeExit(exit, tool.log()));
  return { ...exit, log: tool.log(), overLimits };
}

/**
 * The tools parse untrusted files, so they get no credentials. GCONV_PATH disables converters for character sets, which
 * are not needed: the static ffprobe of npm would load those of the machine, built for another libc, and crash on the
 * service name in every MPEG transport stream. SVT_LOG limits SVT-AV1 to errors, as it ignores ffmpeg's log level.
 */
function toolEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, GCONV_PATH: '/nonexistent', SVT_LOG: '1' };
}

/** Describes the end of a tool, for error messages in our own log. */
export function describeExit(exit: MediaToolExit, log: string): string {
  return `ffmpeg ended with ${exit.signal ?? exit.code ?? 'no start'}: ${log || 'no message'}`;
}

function keepLog(stderr: Readable, sourceURL: string | undefined): { add(line: string): void; text(): string } {
  const lines: string[] = [];
  let incomplete = '';
  const add = (line: string): void => {
    if (line.trim() === '') return;
    lines.push(withoutAddresses(line.slice(0, maxRawLineCharacters), sourceURL));
    if (lines.length > maxLogLines) lines.shift();
  };
  stderr.setEncoding('utf8').on('data', (text: string) => {
    const pieces = (incomplete + text).split(/[\r\n]/u);
    incomplete = pieces.pop()!.slice(0, maxRawLineCharacters);
    pieces.forEach(add);
  });
  const text = (): string => {
    const last = incomplete === '' ? [] : [withoutAddresses(incomplete, sourceURL)];
    return [...lines, ...last].join('\n');
  };
  return { add, text };
}

function withoutAddresses(line: string, sourceURL: string | undefined): string {
  const withoutSource = sourceURL === undefined ? line : line.replaceAll(sourceURL, '<source>');
  const blanked = withoutSource.replaceAll(/\b[a-z][a-z0-9+.-]{0,15}:\/\/\S+?(?=:?\s|:?$)/giu, '<source>');
  return blanked.slice(0, maxLogLineCharacters);
}
