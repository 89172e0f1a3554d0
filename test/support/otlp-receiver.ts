// The OTLP receiver of the OpenTelemetry Collector (otlp-receiver/main.go), for the data of processes under test.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from './ingests.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  /** Service name of the resource. */
  readonly service: string;
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  /** Names of measures. */
  readonly measures: ReadonlySet<string>;
}

const folder = join(import.meta.dirname, 'otlp-receiver');
/** Path of the built program, with the version of its go.mod. */
const built = join(tmpdir(), 'otlp-receiver-v0.139.0');
/** Time limit of the build, for a module proxy that never answers. */
const mostBuildMs = 10 * 60_000;

export interface OtlpReceiverProgram {
  /** Whether tests must be skipped, because no receiver is available. */
  readonly missing: boolean;
  /** Suffix for test titles: empty, or the reason for skipping. */
  readonly note: string;
  readonly start: () => Promise<OtlpReceiver>;
}

/** Finds the program at OTLP_RECEIVER_PATH, or builds it with Go if RUN_OTLP_RECEIVER=1. */
export async function findOtlpReceiver(): Promise<OtlpReceiverProgram> {
  const { OTLP_RECEIVER_PATH: given, RUN_OTLP_RECEIVER: run } = process.env;
  if (given) return programAt(given);
  if (run !== '1')
    return missing('set OTLP_RECEIVER_PATH, or RUN_OTLP_RECEIVER=1, which needs Go and its module proxy');
  return build().then(programAt, (error: Error) => missing(error.message.trim().split('\n').at(-1)!));
}

function programAt(path: string): OtlpReceiverProgram {
  return { missing: false, note: '', start: () => startOtlpReceiver(path) };
}

function missing(why: string): OtlpReceiverProgram {
  const note = `(skipped: ${why})`;
  console.warn(`no OTLP receiver ${note}`);
  return { missing: true, note, start: () => Promise.reject(new Error(note)) };
}

async function startOtlpReceiver(path: string): Promise<OtlpReceiver> {
  const port = await freePort();
  const child = spawn(path, [`127.0.0.1:${port}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit');
  const spans: ReceivedSpan[] = [];
  const measures = new Set<string>();
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as Message;
    if (said.listening) resolve();
    spans.push(...(said.resourceSpans ?? []).flatMap(spansOf));
    for (const { scopeMetrics } of said.resourceMetrics ?? [])
      for (const { metrics } of scopeMetrics) for (const { name } of metrics) measures.add(name);
  });
  await Promise.race([listening, ended.then(() => Promise.reject(new Error('the receiver ended by itself')))]);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    measures,
    async [Symbol.asyncDispose]() {
      kill();
      await ended;
      process.off('exit', kill);
    },
  };
}

interface ResourceSpans {
  readonly resource: {
    readonly attributes: readonly { readonly key: string; readonly value: { stringValue: string } }[];
  };
  readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
}

interface Message {
  readonly listening?: true;
  readonly resourceSpans?: readonly ResourceSpans[];
  readonly resourceMetrics?: readonly { scopeMetrics: readonly { metrics: readonly { name: string }[] }[] }[];
}

function spansOf({ resource, scopeSpans }: ResourceSpans): ReceivedSpan[] {
  const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
  return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
}

/** Builds the program. Its folder gets its name when complete, so that other test files never see a partial one. */
async function build(): Promise<string> {
  if (!existsSync(built)) {
    const unfinished = await mkdtemp(`${built}-`);
    await cp(folder, unfinished, { recursive: true });
    const env = { ...process.env, GOPATH: join(unfinished, 'go'), GOFLAGS: '-modcacherw -mod=mod' };
    await promisify(execFile)('go', ['build', '-o', 'otlp-receiver', '.'], {
      cwd: unfinished,
      env,
      timeout: mostBuildMs,
    });
    await rm(join(unfinished, 'go'), { recursive: true });
    await rename(unfinished, built).catch(() => rm(unfinished, { recursive: true }));
  }
  return join(built, 'otlp-receiver');
}
