// Keeps the answers of the API that the page shows current, by path. All polling is in this file.
// A path is read again once the API reports a change.
import { useCallback, useSyncExternalStore } from 'react';
import { ApiError, call } from './api.ts';
import type { Changes } from './types.ts';

/** The last known answer. It stays while the path is read again, and while the API does not answer. */
export interface Live<Data> {
  readonly data: Data | undefined;
  /** The error of the last reading; null if it succeeded. */
  readonly error: ApiError | null;
  /** The number of failed readings since the last success. */
  readonly failures: number;
}

interface Entry {
  live: Live<unknown>;
  readonly listeners: Set<() => void>;
  /** For each component, the milliseconds after which it wants the path read again, even without a change. */
  readonly every: Map<() => void, number>;
  readAtMs: number;
  isReading: boolean;
  /** A change that concerns the path was reported after its last reading began. */
  isStale: boolean;
  /** The path changed while it was read, or the reading failed for a passing reason. */
  isWantedAgain: boolean;
}

/** Whether the API answers. While it does not, the screen may be out of date. */
export interface Connection {
  readonly isLost: boolean;
  /** The time of the last answer, in milliseconds by the browser's clock. */
  readonly heardAtMs: number;
}

/** The interval of polling. A change is shown at most this long after its commit, plus the time of one reading. */
const pollMs = 2000;
const failuresUntilLost = 2;
/** The longest wait after the API refused a reading. The wait doubles with each refusal. */
const mostRetryMs = 30_000;
/** The number of answers kept without a component that shows them, for users who return to a screen. */
const mostIdleEntries = 50;

const wellRead = { error: null, failures: 0 };
const nothing: Live<undefined> = { data: undefined, ...wellRead };

/** The answers that the page shows or has shown, and the polling that keeps them current. */
class LiveData {
  readonly #entries = new Map<string, Entry>();
  readonly #connectionListeners = new Set<() => void>();
  #connection: Connection = { isLost: false, heardAtMs: Date.now() };
  /** The number of polls without an answer in a row. */
  #failures = 0;
  #cursor: string | null = null;
  /** Null while no component shows an answer: then nothing is polled. */
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isPolling = false;

  readonly connection = (): Connection => this.#connection;

  readonly onConnection = (listener: () => void): (() => void) => {
    this.#connectionListeners.add(listener);
    return () => this.#connectionListeners.delete(listener);
  };

  answerOf(path: string): Live<unknown> {
    return this.#entryOf(path).live;
  }

  /** Keeps the answer of a path current. @returns a function that ends it */
  follow(path: string, everyMs: number, listener: () => void): () => void {
    const entry = this.#entryOf(path);
    entry.listeners.add(listener);
    entry.every.set(listener, everyMs);
    if (Date.now() - entry.readAtMs > pollMs) void read(path, entry);
    this.#timer ??= setTimeout(() => void this.#poll(), pollMs);
    return () => {
      entry.listeners.delete(listener);
      entry.every.delete(listener);
      this.#forgetIdle();
    };
  }

  refresh(prefix: string): void {
    for (const [path, entry] of this.#entries) {
      if (!path.startsWith(prefix)) continue;
      if (entry.listeners.size > 0) void read(path, entry);
      else this.#entries.delete(path);
    }
  }

  show(path: string, data: unknown): void {
    const entry = this.#entryOf(path);
    entry.readAtMs = Date.now();
    publish(entry, { data, ...wellRead });
  }

  /** Polls at once, if anything is polled. */
  pollNow(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    void this.#poll();
  }

  #entryOf(path: string): Entry {
    const known = this.#entries.get(path);
    if (known) return known;
    const made: Entry = {
      live: nothing,
      listeners: new Set(),
      every: new Map(),
      readAtMs: 0,
      isReading: false,
      isStale: false,
      isWantedAgain: false,
    };
    this.#entries.set(path, made);
    return made;
  }

  #forgetIdle(): void {
    const idle = [...this.#entries].filter(([, { listeners }]) => listeners.size === 0);
    for (const [path] of idle.slice(0, -mostIdleEntries)) this.#entries.delete(path);
  }

  /** Asks for changes, reads the changed paths, and schedules the next poll. Pauses while the page is hidden. */
  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    const watched = [...this.#entries].filter(([, { listeners }]) => listeners.size > 0);
    if (watched.length === 0) {
      this.#timer = null;
      return;
    }
    if (!document.hidden) {
      this.#isPolling = true;
      const stale = await this.#changedPaths(watched.map(([path]) => path));
      this.#isPolling = false;
      for (const [path, entry] of watched) {
        entry.isStale ||= stale.has(path);
        if (isDue(path, entry) || isTimeAgain(entry)) void read(path, entry);
      }
    }
    this.#timer = setTimeout(() => void this.#poll(), pollMs);
  }

  /** The paths whose answers have changed. */
  async #changedPaths(paths: readonly string[]): Promise<ReadonlySet<string>> {
    try {
      const isFirst = this.#cursor === null;
      const since = this.#cursor === null ? '' : `?since=${encodeURIComponent(this.#cursor)}`;
      const changes = await call<Changes>('GET', `/changes${since}`);
      this.#cursor = changes.cursor;
      this.#recordPoll(true);
      const isAll = isFirst || changes.reset;
      return new Set(isAll ? paths : paths.filter((path) => changes.changed.some((change) => shows(path, change))));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'invalid_cursor') this.#cursor = null;
      this.#recordPoll(error instanceof ApiError && error.status > 0 && error.status < 500);
      return new Set();
    }
  }

  #recordPoll(isAnswered: boolean): void {
    this.#failures = isAnswered ? 0 : this.#failures + 1;
    const isLost = this.#failures >= failuresUntilLost;
    if (!isAnswered && isLost === this.#connection.isLost) return;
    this.#connection = { isLost, heardAtMs: isAnswered ? Date.now() : this.#connection.heardAtMs };
    for (const listener of this.#connectionListeners) listener();
  }
}

/** The data of this page. */
const liveData = new LiveData();

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) liveData.pollNow();
});

/**
 * The answer to GET of a path, kept current while the component shows it.
 * @param path below /v1; null reads nothing
 * @param everyMs reads the path at least this often; for figures, which /changes does not report
 */
export function useLive<Data>(path: string | null, everyMs = Infinity): Live<Data> {
  const subscribe = useCallback(
    (onChange: () => void) => (path === null ? () => {} : liveData.follow(path, everyMs, onChange)),
    [path, everyMs],
  );
  return useSyncExternalStore(subscribe, () => (path === null ? nothing : liveData.answerOf(path))) as Live<Data>;
}

export function useConnection(): Connection {
  return useSyncExternalStore(liveData.onConnection, liveData.connection);
}

/** Reads all paths with this prefix again, after a change by the page itself. */
export function refresh(prefix: string): void {
  liveData.refresh(prefix);
}

/**
 * Calls an operation that changes something.
 * @param stale prefixes of the paths that are read again afterwards
 */
export async function change(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  stale: readonly string[],
  body?: object,
) {
  await call(method, path, body);
  stale.forEach(refresh);
}

/** Shows the answer to a change, without reading it again. */
export function show(path: string, data: unknown): void {
  liveData.show(path, data);
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
      entry.isStale = false;
      entry.readAtMs = Date.now();
      // oxlint-disable-next-line no-await-in-loop -- the next reading begins once this one has ended
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

/** Whether the error is likely to pass: no answer, too many requests, or a fault of the platform. */
export function isPassing({ status }: ApiError): boolean {
  return status === 0 || status === 429 || status >= 500;
}

/** Whether the path has changed, or its interval is over. */
function isDue(path: string, { isStale, readAtMs, every }: Entry): boolean {
  const ageMs = Date.now() - readAtMs;
  return ageMs >= Math.min(...every.values()) || (isStale && (!isReadiness(path) || ageMs >= readinessRestMs));
}

/** Whether a pending reading is due. If the API does not answer, it is due with each poll. */
function isTimeAgain({ isWantedAgain, isReading, readAtMs, live: { error, failures } }: Entry): boolean {
  if (!isWantedAgain || isReading) return false;
  const waitMs = error === null || error.status === 0 ? 0 : Math.min(mostRetryMs, 1000 * 2 ** failures);
  return Date.now() - readAtMs >= waitMs;
}

function publish(entry: Entry, live: Live<unknown>): void {
  entry.live = live;
  for (const listener of entry.listeners) listener();
}

/** The path of open incidents, which several parts of the page share. */
export const openIncidentsPath = '/incidents?open=true';

/**
 * The kinds of objects in the answers of each collection. Incidents and credits also change streams, and vice versa.
 */
const kinds: Readonly<Record<string, readonly string[]>> = {
  streams: ['stream', 'playlist', 'destination'],
  uploads: ['upload', 'playlist'],
  playlists: ['playlist', 'upload'],
  collections: ['collection', 'upload', 'playlist'],
  programmes: ['programme', 'collection'],
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

/** An object of such a kind can change the readiness of a stream, as can the stream: programmes are planned for it. */
const kindsOfReadiness = 'playlist destination upload collection programme connection managedSettings billing'.split(
  ' ',
);
/** The shortest interval between two readings of it for reported changes: many uploads at once report many. */
const readinessRestMs = 6000;
const isReadiness = (path: string) => path.endsWith('/readiness');

function shows(path: string, { kind, id }: { readonly kind: string; readonly id: string }): boolean {
  const [, collection = '', own] = path.split(/[/?]/);
  if (isReadiness(path) && kindsOfReadiness.includes(kind)) return true;
  if (!kinds[collection]?.includes(kind)) return false;
  return own === undefined || !/^[a-z]{3}_/.test(own) || own === id || kind !== kinds[collection][0];
}
