// The queue of uploads across all screens. Files are sent in parts, and interrupted uploads resume.
import { ApiError } from '../app/api.ts';
import { isPassing } from '../app/live-data.ts';
import type { AddedFile } from './dropped-files.ts';
import { forgetUpload, isOfFile, rememberedUploads } from './remembered-uploads.ts';
import { sendFile } from './send-file.ts';

export type UploadPhase = 'waiting' | 'sending' | 'paused' | 'failed' | 'done' | 'interrupted';

/** One file in the queue. Each change replaces the object. */
export interface UploadTask {
  readonly key: string;
  readonly name: string;
  readonly size: number;
  readonly phase: UploadPhase;
  readonly sentBytes: number;
  /** The error message for the user; null if there is none. */
  readonly error: string | null;
  /** Null until the API has created the upload. */
  readonly uploadID: string | null;
}

const filesAtOnce = 2;
/** The number of retries after a passing fault, with growing pauses. Files that the API defers are retried always. */
const mostTries = 8;
const firstHoldMs = 2000;
const mostHoldMs = 60_000;

/**
 * The files that a user uploads. Each file is in one phase:
 *
 * | Phase         | Meaning                                   | Next phase                                           |
 * |---------------|-------------------------------------------|------------------------------------------------------|
 * | `waiting`     | in line for one of two places             | `sending` once a place is free and the hold is over  |
 * |               |                                           | `paused` by the user                                 |
 * | `sending`     | its parts are sent                        | `done` once the upload is complete                   |
 * |               |                                           | `paused` by the user                                 |
 * |               |                                           | `waiting` after a passing fault, which holds all     |
 * |               |                                           | `failed` after another fault, or after eight of them |
 * | `paused`      | its requests have ended, or soon will     | `waiting` once the user resumes it                   |
 * | `failed`      | its error is shown                        | `waiting` once the user resumes it                   |
 * | `done`        | the upload is complete                    | none                                                 |
 * | `interrupted` | begun before a reload; its file is absent | `waiting` once the user chooses the file again       |
 *
 * A file in any phase but `sending` is `waiting` again once the user chooses it again. `clear` removes files that are
 * `failed`, `done` or `interrupted`.
 */
class UploadQueue {
  readonly #files = new Map<string, AddedFile>();
  /** The number of passing faults in a row, by key of the file. */
  readonly #tries = new Map<string, number>();
  /** The controllers of files being sent, and of paused files whose requests have not ended yet, by key. */
  readonly #stops = new Map<string, AbortController>();
  readonly #listeners = new Set<() => void>();
  #heldUntilMs = 0;
  #holdTimer: ReturnType<typeof setTimeout> | undefined;
  #tasks: readonly UploadTask[] = rememberedUploads().map(({ uploadID, name, size }) => ({
    key: uploadID,
    name,
    size,
    phase: 'interrupted',
    sentBytes: 0,
    error: null,
    uploadID,
  }));

  readonly tasks = (): readonly UploadTask[] => this.#tasks;

  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds files, and resumes those that were interrupted. @returns the keys of their tasks */
  add(added: readonly AddedFile[]): readonly string[] {
    const remembered = rememberedUploads();
    const byKey = new Map(this.#tasks.map((task) => [task.key, task]));
    const keys = added.map((one) => {
      const { file } = one;
      const known = remembered.find((each) => isOfFile(each, file));
      const shown = known && this.#tasks.find(({ uploadID }) => uploadID === known.uploadID);
      if (shown?.phase === 'sending') return shown.key;
      const key = shown?.key ?? known?.uploadID ?? crypto.randomUUID();
      this.#files.set(key, one);
      byKey.delete(key);
      byKey.set(key, {
        key,
        name: file.name,
        size: file.size,
        phase: 'waiting',
        sentBytes: 0,
        error: null,
        uploadID: known?.uploadID ?? null,
      });
      return key;
    });
    this.#replace([...byKey.values()]);
    this.#startWaiting();
    return keys;
  }

  pause(key: string): void {
    this.#stops.get(key)?.abort();
    this.#change(key, { phase: 'paused' });
  }

  resume(key: string): void {
    this.#tries.delete(key);
    this.#change(key, { phase: 'waiting', error: null });
    this.#startWaiting();
  }

  /** Removes finished, failed and interrupted files. */
  clear(): void {
    const isKept = ({ phase }: UploadTask) => phase === 'waiting' || phase === 'sending' || phase === 'paused';
    for (const task of this.#tasks) {
      if (isKept(task)) continue;
      this.#files.delete(task.key);
      if (task.uploadID !== null) forgetUpload(task.uploadID);
    }
    this.#replace(this.#tasks.filter(isKept));
  }

  /** Starts waiting files. A resumed file waits until its previous requests have ended. */
  #startWaiting(): void {
    clearTimeout(this.#holdTimer);
    const holdMs = this.#heldUntilMs - performance.now();
    if (holdMs > 0) {
      // A timer may fire a little early; then the rest is waited for.
      this.#holdTimer = setTimeout(() => this.#startWaiting(), holdMs + 1);
      return;
    }
    const free = filesAtOnce - this.#tasks.filter(({ phase }) => phase === 'sending').length;
    const startable = this.#tasks.filter(({ key, phase }) => phase === 'waiting' && !this.#stops.has(key));
    for (const task of startable.slice(0, Math.max(0, free))) void this.#send(task);
  }

  async #send({ key, uploadID }: UploadTask): Promise<void> {
    const added = this.#files.get(key)!;
    const stop = new AbortController();
    this.#stops.set(key, stop);
    this.#change(key, { phase: 'sending' });
    try {
      const sending = { signal: stop.signal, onProgress: (to: Partial<UploadTask>) => this.#change(key, to) };
      forgetUpload(await sendFile(added, uploadID, sending));
      this.#files.delete(key);
      this.#tries.delete(key);
      this.#change(key, { phase: 'done', sentBytes: added.file.size });
    } catch (error) {
      if (!stop.signal.aborted)
        this.#change(key, this.#isTriedAgain(key, error) ? { phase: 'waiting' } : failedFor(error));
    } finally {
      this.#stops.delete(key);
      this.#startWaiting();
    }
  }

  /** Decides whether to retry, and holds the whole queue: a fault that passes concerns the other files as well. */
  #isTriedAgain(key: string, error: unknown): boolean {
    if (!(error instanceof ApiError) || !isPassing(error)) return false;
    const count = this.#tries.get(key) ?? 0;
    if (error.status !== 429) this.#tries.set(key, count + 1);
    if (count >= mostTries) return false;
    const holdMs = Math.max(error.retryAfterSeconds * 1000, Math.min(mostHoldMs, firstHoldMs * 2 ** count));
    this.#heldUntilMs = Math.max(this.#heldUntilMs, performance.now() + holdMs);
    return true;
  }

  #change(key: string, to: Partial<UploadTask>): void {
    this.#replace(this.#tasks.map((task) => (task.key === key ? { ...task, ...to } : task)));
  }

  #replace(tasks: readonly UploadTask[]): void {
    this.#tasks = tasks;
    for (const listener of this.#listeners) listener();
  }
}

const failedFor = (error: unknown) => ({ phase: 'failed', error: (error as Error).message }) as const;

/** The queue of this page. */
export const uploadQueue = new UploadQueue();

addEventListener('beforeunload', (event) => {
  if (uploadQueue.tasks().some(({ phase }) => phase === 'sending')) event.preventDefault();
});
