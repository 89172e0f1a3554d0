// A real local run for tests: the process of `npm start`, in a data folder of its own, used through its API.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ConnectionFile } from '../../bin/local/data-folder.ts';
import type { Channel } from '../../bin/local/rtmp-sink/channel.ts';
import { freePort } from './ingests.ts';

export interface LocalRun {
  readonly connection: ConnectionFile;
  readonly process: ChildProcess;
  readonly api: ApiClient;
  /** Interrupts as Ctrl-C does; the signal arrives twice: from the terminal and from npm. @returns the exit code */
  interrupt(): Promise<number | null>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the answers
export type ApiClient = (method: string, path: string, body?: unknown) => Promise<any>;

const entry = join(import.meta.dirname, '../../bin/local.ts');
const readyTimeoutMs = 60_000;
const endTimeoutMs = 60_000;
/** Polling interval: an answer takes some milliseconds of CPU time. */
const askedEveryMs = 100;
const changeTimeoutMs = 120_000;

export async function temporaryDataFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'local-run-'));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Starts a local run. Resolves when it reports that it is ready. */
export async function startLocalRun(dataFolder: string, ...args: string[]): Promise<LocalRun> {
  const output: string[] = [];
  const child = spawn(process.execPath, [entry, '--data', dataFolder, '--port', String(await freePort()), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // A failing test leaves no local run behind.
  process.once('exit', () => child.kill('SIGKILL'));
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const connection = await untilReady(dataFolder, child, output);
  return {
    connection,
    process: child,
    api: apiClient(connection),
    async interrupt() {
      child.kill('SIGINT');
      child.kill('SIGINT');
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      await once(child, 'exit', { signal: AbortSignal.timeout(endTimeoutMs) }).catch((error: unknown) => {
        child.kill('SIGKILL');
        throw new Error(`the local run did not end:\n${output.join('')}`, { cause: error });
      });
      return child.exitCode;
    },
  };
}

/** A client of the API. @throws the message of an answer whose status is not 2xx */
export function apiClient({ apiURL, apiKey }: Pick<ConnectionFile, 'apiURL' | 'apiKey'>): ApiClient {
  return async (method, path, body) => {
    const response = await fetch(apiURL + path, {
      method,
      headers: { 'x-api-key': apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** Uploads a file as clients do, and waits until it has been inspected. @returns the id of the upload */
export async function uploadFile(api: ApiClient, path: string, mimeType: string): Promise<string> {
  const { size } = await stat(path);
  const { id } = await api('POST', '/uploads', { name: path.split('/').at(-1), mimeType, fileSize: size });
  const { url, headers } = await api('POST', `/uploads/${id}/upload-url`);
  const put = await fetch(url, { method: 'PUT', headers, body: await readFile(path) });
  if (!put.ok) throw new Error(`PUT: ${put.status} ${await put.text()}`);
  await api('POST', `/uploads/${id}/complete`);
  await until(async () => (await api('GET', `/uploads/${id}`)).probeState !== 'pending');
  return id;
}

/** Creates a stream that plays uploads in order to a target, but does not start it. @returns the id of the stream */
export async function createLoop(
  api: ApiClient,
  uploadIDs: readonly string[],
  target: ({ url: string } | { rtmpURL: string; backupRtmpURL?: string }) & { streamKey: string },
  settings: object = { quality: 'q_720p', framerate: 'f_30' },
): Promise<string> {
  const destination = await api('POST', '/destinations', { name: 'ingest', ...target });
  const stream = await api('POST', '/streams', { ...settings, destinationID: destination.id });
  const playlist = await api('POST', '/playlists', { streamID: stream.id, kind: 'video', mode: 'sequential' });
  await api('POST', `/playlists/${playlist.id}/operations`, {
    operations: uploadIDs.map((uploadID) => ({ op: 'add', uploadID })),
  });
  return stream.id;
}

/** Resolves once a condition holds. It polls, as clients of the API do. */
export async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + changeTimeoutMs;
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error(`not so after ${changeTimeoutMs / 1000} s: ${isDone.toString()}`);
    await setTimeout(askedEveryMs);
  }
}

/** Resolves once a stream is on air. @throws the API's view of the stream if it is not on air in time */
export async function untilActive(api: ApiClient, streamID: string): Promise<void> {
  let stream = await api('GET', `/streams/${streamID}`);
  await until(async () => (stream = await api('GET', `/streams/${streamID}`)).state === 'active').catch(
    (error: unknown) => {
      throw new Error(`not on air: ${JSON.stringify(stream)}`, { cause: error });
    },
  );
}

/** The viewer page's data about the streams that the built-in ingest has. */
export async function watchChannels({ connection }: Pick<LocalRun, 'connection'>): Promise<Channel[]> {
  const answer = await fetch(`${connection.siteURL}/watch/channels`);
  return (await answer.json()) as Channel[];
}

async function untilReady(dataFolder: string, child: ChildProcess, output: readonly string[]): Promise<ConnectionFile> {
  const deadline = Date.now() + readyTimeoutMs;
  while (child.exitCode === null && Date.now() < deadline) {
    const text = await readFile(join(dataFolder, 'connection.json'), 'utf8').catch(() => null);
    const connection = text === null ? null : (JSON.parse(text) as ConnectionFile);
    if (connection !== null && connection.pid === child.pid) return connection;
    await setTimeout(20);
  }
  child.kill('SIGKILL');
  throw new Error(`the local run did not get ready:\n${output.join('')}`);
}
