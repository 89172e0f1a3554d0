// Sends one part of a file to its address in the store, and tells how far it is. What breaks off is sent again.
import type { PartAddress } from './part-addresses.ts';

interface PutPartOptions {
  readonly bytes: Blob;
  /** An address is good for a while only, so each attempt asks for one. */
  readonly urlOf: () => Promise<PartAddress>;
  readonly onSent: (bytes: number) => void;
  readonly signal: AbortSignal;
}

const attempts = 6;
const firstPauseMs = 1000;

/** @throws where it was stopped, or did not get through in all attempts */
export async function putPart(options: PutPartOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    options.signal.throwIfAborted();
    try {
      // oxlint-disable-next-line no-await-in-loop -- the next attempt comes after this one
      return await put(options, await options.urlOf());
    } catch (error) {
      if (options.signal.aborted || attempt === attempts) throw error;
      options.onSent(0);
      // oxlint-disable-next-line no-await-in-loop -- and after a pause, which grows
      await pause(firstPauseMs * 2 ** (attempt - 1), options.signal);
    }
  }
}

/** Ends early where it is stopped. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

/** By XMLHttpRequest, as fetch tells nobody how much has been sent. */
function put({ bytes, onSent, signal }: PutPartOptions, { url, headers }: PartAddress): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = new XMLHttpRequest();
  const abort = () => request.abort();
  request.open('PUT', url);
  for (const [name, value] of Object.entries(headers)) {
    // The browser says the length by itself, and lets nobody else say it.
    if (name.toLowerCase() !== 'content-length') request.setRequestHeader(name, String(value));
  }
  request.upload.addEventListener('progress', ({ loaded }) => onSent(loaded));
  request.addEventListener('loadend', () => {
    signal.removeEventListener('abort', abort);
    if (request.status >= 200 && request.status < 300) resolve();
    else reject(new Error(request.status === 0 ? 'The upload was interrupted.' : 'The store refused the upload.'));
  });
  signal.addEventListener('abort', abort);
  if (signal.aborted) reject(new Error('The upload was stopped.'));
  else request.send(bytes);
  return promise;
}
