// Sends one part of a file to its address in the store, reports progress, and retries failed attempts.
import { words } from '#words';
import type { PartAddress } from './part-addresses.ts';

interface PutPartOptions {
  readonly bytes: Blob;
  /** Provides a new address for each attempt, since addresses expire. */
  readonly urlOf: () => Promise<PartAddress>;
  readonly onSent: (bytes: number) => void;
  readonly signal: AbortSignal;
}

const attempts = 6;
const firstPauseMs = 1000;

/** @throws if it was stopped, or all attempts failed */
export async function putPart(options: PutPartOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    options.signal.throwIfAborted();
    try {
      // oxlint-disable-next-line no-await-in-loop -- attempts follow one another
      return await put(options, await options.urlOf());
    } catch (error) {
      if (options.signal.aborted || attempt === attempts) throw error;
      options.onSent(0);
      // oxlint-disable-next-line no-await-in-loop -- each after a growing pause
      await pause(firstPauseMs * 2 ** (attempt - 1), options.signal);
    }
  }
}

/** Ends early if the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

/** Uses XMLHttpRequest, because fetch does not report the progress of an upload. */
function put({ bytes, onSent, signal }: PutPartOptions, { url, headers }: PartAddress): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  request.open('PUT', url);
  for (const [name, value] of Object.entries(headers)) {
    // The browser sets the length itself, and forbids scripts to set it.
    if (name.toLowerCase() !== 'content-length') request.setRequestHeader(name, String(value));
  }
  request.upload.addEventListener('progress', ({ loaded }) => onSent(loaded));
  request.addEventListener('loadend', () => {
    signal.removeEventListener('abort', abort);
    if (request.status >= 200 && request.status < 300) resolve();
    else reject(new Error(request.status === 0 ? words.tray.failures.interrupted : words.tray.failures.refused));
  });
  signal.addEventListener('abort', abort);
  if (signal.aborted) reject(new Error(words.tray.failures.stopped));
  else request.send(bytes);
  return promise;
}
