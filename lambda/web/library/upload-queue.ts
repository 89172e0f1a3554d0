// The queue of uploads across all screens. Files are sent in parts, and interrupted uploads resume.
import { ApiError, call } from '../app/api.ts';
import { isPassing } from '../app/live-data.ts';
import type { Upload } from '../app/types.ts';
import type { AddedFile } from './dropped-files.ts';
import { mediaTypeOf } from './media-types.ts';
import { partAddresses, partBytesOf } from './part-addresses.ts';
import { putPart } from './put-part.ts';

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

/** An upload in local storage. After a reload, its file is recognised when the user chooses it again. */
interface Remembered {
  readonly uploadID: string;
  readonly name: string;
  readonly size: number;
  readonly lastModified: number;
}

const filesAtOnce = 2;
const partsAtOnce = 3;
const storageKey = 'uploads';
/** The number of retries after a passing fault, with growing pauses. Files that the API defers are retried always. */
const mostTries = 8;
const firstHoldMs = 2000;
const mostHoldMs = 60_000;

const files = new Map<string, AddedFile>();
/** The number of passing faults in a row, by key of the file. */
const tries = new Map<string, number>();
let heldUntilMs = 0;
let holdTimer: ReturnType<typeof setTimeout> | undefined;
/** The controllers of files being sent, and of paused files whose requests have not ended yet, by key. */
const stops = new Map<string, AbortController>();
const listeners = new Set<() => void>();
let tasks: readonly UploadTask[] = recall().map(({ uploadID, name, size }) => ({
  key: uploadID,
  name,
  size,
  phase: 'interrupted',
  sentBytes: 0,
  error: null,
  uploadID,
}));

export const uploadTasks = () => tasks;

export function onUploadTasks(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Adds files, and resumes those that were interrupted. @returns the keys of their tasks */
export function addFiles(added: readonly AddedFile[]): readonly string[] {
  const remembered = recall();
  const byKey = new Map(tasks.map((task) => [task.key, task]));
  const keys = added.map((one) => {
    const { file } = one;
    const known = remembered.find((each) => isSame(each, file));
    const shown = known && tasks.find(({ uploadID }) => uploadID === known.uploadID);
    if (shown?.phase === 'sending') return shown.key;
    const key = shown?.key ?? known?.uploadID ?? crypto.randomUUID();
    files.set(key, one);
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
  tasks = [...byKey.values()];
  announce();
  pump();
  return keys;
}

export function pauseUpload(key: string): void {
  stops.get(key)?.abort();
  change(key, { phase: 'paused' });
}

export function resumeUpload(key: string): void {
  tries.delete(key);
  change(key, { phase: 'waiting', error: null });
  pump();
}

/** Removes finished, failed and interrupted files from the list. */
export function clearUploads(): void {
  const isKept = ({ phase }: UploadTask) => phase === 'waiting' || phase === 'sending' || phase === 'paused';
  for (const task of tasks) {
    if (isKept(task)) continue;
    files.delete(task.key);
    if (task.uploadID !== null) forget(task.uploadID);
  }
  tasks = tasks.filter(isKept);
  announce();
}

/** Starts waiting files. A resumed file waits until its previous requests have ended. */
function pump(): void {
  clearTimeout(holdTimer);
  const holdMs = heldUntilMs - performance.now();
  if (holdMs > 0) {
    // A timer may fire a little early; pump checks the time again.
    holdTimer = setTimeout(pump, holdMs + 1);
    return;
  }
  const free = filesAtOnce - tasks.filter(({ phase }) => phase === 'sending').length;
  const next = tasks.filter(({ key, phase }) => phase === 'waiting' && !stops.has(key)).slice(0, Math.max(0, free));
  for (const task of next) void send(task);
}

async function send({ key, uploadID }: UploadTask): Promise<void> {
  const added = files.get(key)!;
  const stop = new AbortController();
  stops.set(key, stop);
  change(key, { phase: 'sending' });
  try {
    forget(await sendFile(key, added, uploadID, stop.signal));
    files.delete(key);
    tries.delete(key);
    change(key, { phase: 'done', sentBytes: added.file.size });
  } catch (error) {
    if (!stop.signal.aborted) change(key, isTriedAgain(key, error) ? { phase: 'waiting' } : failedFor(error));
  } finally {
    stops.delete(key);
    pump();
  }
}

const failedFor = (error: unknown) => ({ phase: 'failed', error: (error as Error).message }) as const;

/** Decides whether to retry, and pauses the whole queue: a fault that passes concerns the other files as well. */
function isTriedAgain(key: string, error: unknown): boolean {
  if (!(error instanceof ApiError) || !isPassing(error)) return false;
  const count = tries.get(key) ?? 0;
  if (error.status !== 429) tries.set(key, count + 1);
  if (count >= mostTries) return false;
  const holdMs = Math.max(error.retryAfterSeconds * 1000, Math.min(mostHoldMs, firstHoldMs * 2 ** count));
  heldUntilMs = Math.max(heldUntilMs, performance.now() + holdMs);
  return true;
}

/** @param known id of the upload begun with this file; null if none @returns the id of the complete upload */
async function sendFile(key: string, added: AddedFile, known: string | null, signal: AbortSignal): Promise<string> {
  const { file } = added;
  const id = known ?? (await make(key, added));
  try {
    await sendParts(key, id, file, known === null ? [] : await partsThere(id), signal);
    await call('POST', `/uploads/${id}/complete`, undefined, { isRepeatable: true });
    return id;
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 0;
    const code = error instanceof ApiError ? error.code : '';
    // The upload was completed before, but the answer was lost.
    if (code === 'resource_in_use' && (await call<Upload>('GET', `/uploads/${id}`)).uploaded) return id;
    if (status !== 404 || known === null) throw error;
    // The upload was deleted meanwhile: begin again.
    forget(known);
    change(key, { uploadID: null, sentBytes: 0 });
    return sendFile(key, added, null, signal);
  }
}

async function make(key: string, { file, folder }: AddedFile): Promise<string> {
  const mimeType = mediaTypeOf(file);
  const { id } = await call<Upload>('POST', '/uploads', {
    name: file.name,
    mimeType,
    fileSize: file.size,
    multipart: true,
    ...(folder !== '' && { folder }),
  });
  remember({ uploadID: id, name: file.name, size: file.size, lastModified: file.lastModified });
  change(key, { uploadID: id });
  return id;
}

/** Sends the missing parts, with retries. @throws {ApiError} */
async function sendParts(
  key: string,
  id: string,
  file: File,
  arrivedBefore: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const partBytes = await partBytesOf(id);
  const there = new Set(arrivedBefore);
  const all = Array.from({ length: Math.ceil(file.size / partBytes) }, (_, index) => index + 1);
  const missing = all.filter((part) => !there.has(part));
  const sizeOf = (part: number) => Math.min(partBytes, file.size - (part - 1) * partBytes);
  const arrived = new Map(all.filter((part) => there.has(part)).map((part) => [part, sizeOf(part)]));
  const tell = (part: number, bytes: number) => {
    arrived.set(part, bytes);
    change(key, { sentBytes: [...arrived.values()].reduce((sum, each) => sum + each, 0) });
  };
  const addressOf = partAddresses(id, missing);
  const ended = new AbortController();
  const next = missing.values();
  const lane = async (): Promise<void> => {
    for (const part of next) {
      const bytes = file.slice((part - 1) * partBytes, part * partBytes);
      // oxlint-disable-next-line no-await-in-loop -- a lane sends one part at a time
      await putPart({
        bytes,
        urlOf: () => addressOf(part),
        onSent: (sent) => tell(part, sent),
        signal: AbortSignal.any([signal, ended.signal]),
      });
      tell(part, sizeOf(part));
    }
  };
  try {
    await Promise.all(Array.from({ length: partsAtOnce }, lane));
  } finally {
    // If one lane fails, the others stop.
    ended.abort();
  }
}

async function partsThere(id: string): Promise<readonly number[]> {
  const parts = await call<readonly { readonly partNumber: number }[]>('GET', `/uploads/${id}/parts`);
  return parts.map(({ partNumber }) => partNumber);
}

function change(key: string, to: Partial<UploadTask>): void {
  tasks = tasks.map((task) => (task.key === key ? { ...task, ...to } : task));
  announce();
}

function announce(): void {
  for (const listener of listeners) listener();
}

const isSame = (known: Remembered, { name, size, lastModified }: File) =>
  known.name === name && known.size === size && known.lastModified === lastModified;

function recall(): readonly Remembered[] {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '[]') as Remembered[];
  } catch {
    return [];
  }
}

function remember(upload: Remembered): void {
  localStorage.setItem(storageKey, JSON.stringify([...recall(), upload]));
}

function forget(uploadID: string): void {
  localStorage.setItem(storageKey, JSON.stringify(recall().filter((each) => each.uploadID !== uploadID)));
}

addEventListener('beforeunload', (event) => {
  if (tasks.some(({ phase }) => phase === 'sending')) event.preventDefault();
});
