// What the page shows of the API, kept current: answers by path, read again when the API says that they have changed.
// Everything that polls is in this file.
import { useCallback, useSyncExternalStore } from 'react';
import { ApiError, call } from './api.ts';

/** An answer as it was last read. What is known stays while it is read again, and while nobody answers. */
export interface Live<Data> {
  readonly data: Data | undefined;
  /** Why the last reading failed; null where it did not. */
  readonly error: ApiError | null;
  /** How many readings have failed since the last that did not. */
  readonly failures: number;
}

interface Entry {
  live: Live<unknown>;
  readonly listeners: Set<() => void>;
  /** The shortest time after which a component wants it anew, whatever is said of changes. */
  readonly every: Map<() => void, number>;
  readAtMs: number;
  isReading: boolean;
  /** It has changed while it was read, or could not be read and may be later. */
  isWantedAgain: boolean;
}

/** How the API answers: what is on the screen is old while it does not. */
export interface Connection {
  readonly isLost: boolean;
  /** When an answer came last, by the browser's clock. */
  readonly heardAtMs: number;
}

/** A change is on the screen at most this long, and what reading it takes, after its commit. */
const pollMs = 2000;
const failuresUntilLost = 2;
/** What the API refuses is asked for after twice the time with each refusal, up to this. */
const mostRetryMs = 30_000;
/** Answers that nobody looks at are kept for a way back, but not for ever. */
const mostIdleEntries = 50;

const entries = new Map<string, Entry>();
const connectionListeners = new Set<() => void>();
let connection: Connection = { isLost: false, heardAtMs: Date.now() };
let failures = 0;
let cursor: string | null = null;
let timer: ReturnType<typeof setTimeout> | null = null;
let isPolling = false;

/**
 * The answer to GET of a path, for as long as the component shows it.
 * @param path below /v1; null for nothing
 * @param everyMs read it at least so often: for figures, which are not among the changes
 */
export function useLive<Data>(path: string | null, everyMs = Infinity): Live<Data> {
  const subscribe = useCallback((onChange: () => void) => follow(path, everyMs, onChange), [path, everyMs]);
  return useSyncExternalStore(subscribe, () => (path === null ? nothing : entryOf(path).live)) as Live<Data>;
}

export function useConnection(): Connection {
  return useSyncExternalStore(onConnection, () => connection);
}

/** Reads again what begins with a path, after a change that the page itself has made. */
export function refresh(prefix: string): void {
  for (const [path, entry] of entries) {
    if (!path.startsWith(prefix)) continue;
    if (entry.listeners.size > 0) void read(path, entry);
    else entries.delete(path);
  }
}

/** Shows the answer to a change at once. */
export function show(path: string, data: unknown): void {
  const entry = entryOf(path);
  entry.readAtMs = Date.now();
  publish(entry, { data, ...wellRead });
}

const wellRead = { error: null, failures: 0 };
const nothing: Live<undefined> = { data: undefined, ...wellRead };

function onConnection(listener: () => void): () => void {
  connectionListeners.add(listener);
  return () => connectionListeners.delete(listener);
}

function entryOf(path: string): Entry {
  const known = entries.get(path);
  if (known) return known;
  const made: Entry = {
    live: nothing,
    listeners: new Set(),
    every: new Map(),
    readAtMs: 0,
    isReading: false,
    isWantedAgain: false,
  };
  entries.set(path, made);
  return made;
}

function follow(path: string | null, everyMs: number, listener: () => void): () => void {
  if (path === null) return () => {};
  const entry = entryOf(path);
  entry.listeners.add(listener);
  entry.every.set(listener, everyMs);
  if (Date.now() - entry.readAtMs > pollMs) void read(path, entry);
  timer ??= setTimeout(() => void poll(), pollMs);
  return () => {
    entry.listeners.delete(listener);
    entry.every.delete(listener);
    forgetIdle();
  };
}

function forgetIdle(): void {
  const idle = [...entries].filter(([, { listeners }]) => listeners.size === 0);
  for (const [path] of idle.slice(0, -mostIdleEntries)) entries.delete(path);
}

async function read(path: string, entry: Entry): Promise<void> {
  if (entry.isReading) {
    entry.isWantedAgain = true;
    return;
  }
  entry.isReading = true;
  try {
    do {
      entry.isWantedAgain = false;
      entry.readAtMs = Date.now();
      // oxlint-disable-next-line no-await-in-loop -- what is wanted again is asked for once the first answer is there
      publish(entry, { data: await call('GET', path), ...wellRead });
    } while (entry.isWantedAgain);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (isPassing(error)) entry.isWantedAgain = true;
    publish(entry, { ...entry.live, error, failures: entry.live.failures + 1 });
  } finally {
    entry.isReading = false;
  }
}

/** Nobody answered, or it was too much at once, or the fault is the platform's. */
export function isPassing({ status }: ApiError): boolean {
  return status === 0 || status === 429 || status >= 500;
}

/** Whether what is wanted again is asked for by now: while nobody answers, each time. */
function isTimeAgain({ isWantedAgain, isReading, readAtMs, live: { error, failures } }: Entry): boolean {
  if (!isWantedAgain || isReading) return false;
  const waitMs = error === null || error.status === 0 ? 0 : Math.min(mostRetryMs, 1000 * 2 ** failures);
  return Date.now() - readAtMs >= waitMs;
}

function publish(entry: Entry, live: Live<unknown>): void {
  entry.live = live;
  for (const listener of entry.listeners) listener();
}

/** Asks what has changed, reads that again, and comes back: not while the page is hidden, and never twice at once. */
async function poll(): Promise<void> {
  if (isPolling) return;
  const watched = [...entries].filter(([, { listeners }]) => listeners.size > 0);
  if (watched.length === 0) {
    timer = null;
    return;
  }
  if (!document.hidden) {
    isPolling = true;
    const stale = await changedPaths(watched.map(([path]) => path));
    isPolling = false;
    for (const [path, entry] of watched) {
      const isDue = Date.now() - entry.readAtMs >= Math.min(...entry.every.values());
      if (stale.has(path) || isDue || isTimeAgain(entry)) void read(path, entry);
    }
  }
  timer = setTimeout(() => void poll(), pollMs);
}

interface Changes {
  readonly cursor: string;
  readonly reset: boolean;
  readonly changed: readonly { readonly kind: string; readonly id: string }[];
}

/** Which of these paths have another answer than before. */
async function changedPaths(paths: readonly string[]): Promise<ReadonlySet<string>> {
  try {
    const since = cursor === null ? '' : `?since=${encodeURIComponent(cursor)}`;
    const changes = await call<Changes>('GET', `/changes${since}`);
    const isFirst = cursor === null;
    cursor = changes.cursor;
    heard(true);
    const isAll = isFirst || changes.reset;
    return new Set(isAll ? paths : paths.filter((path) => changes.changed.some((change) => shows(path, change))));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_cursor') cursor = null;
    heard(error instanceof ApiError && error.status > 0 && error.status < 500);
    return new Set();
  }
}

/** What each collection of the API shows. Incidents and credits change what is said of streams, and the reverse. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  streams: ['stream', 'playlist', 'destination'],
  uploads: ['upload', 'playlist'],
  playlists: ['playlist', 'upload'],
  destinations: ['destination', 'connection'],
  connections: ['connection'],
  schedule: ['stream'],
  webhooks: ['webhook'],
  'alert-channels': ['alertChannel'],
  'managed-settings': ['managedSettings', 'connection'],
  notifications: ['notification'],
  incidents: ['incident'],
  billing: ['billing', 'stream'],
  crypto: ['billing'],
  me: ['stream', 'upload', 'destination'],
};

function shows(path: string, { kind, id }: { readonly kind: string; readonly id: string }): boolean {
  const [, collection = '', own] = path.split(/[/?]/);
  if (!kinds[collection]?.includes(kind)) return false;
  return own === undefined || !/^[a-z]{3}_/.test(own) || own === id || kind !== kinds[collection][0];
}

function heard(isAnswered: boolean): void {
  failures = isAnswered ? 0 : failures + 1;
  const isLost = failures >= failuresUntilLost;
  if (!isAnswered && isLost === connection.isLost) return;
  connection = { isLost, heardAtMs: isAnswered ? Date.now() : connection.heardAtMs };
  for (const listener of connectionListeners) listener();
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden || timer === null) return;
  clearTimeout(timer);
  void poll();
});
