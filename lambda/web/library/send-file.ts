// Sends one file: creates its upload, or resumes it, and sends the missing parts.
import { ApiError, call } from '../app/api.ts';
import type { Upload } from '../app/types.ts';
import type { AddedFile } from './dropped-files.ts';
import { mediaTypeOf } from './media-types.ts';
import { partAddresses, partBytesOf } from './part-addresses.ts';
import { putPart } from './put-part.ts';
import { forgetUpload, rememberUpload } from './remembered-uploads.ts';

interface Sending {
  readonly signal: AbortSignal;
  /** Called with the upload once it exists, and with each progress. */
  readonly onProgress: (to: { readonly uploadID?: string | null; readonly sentBytes?: number }) => void;
}

const partsAtOnce = 3;

/**
 * Sends a file until its upload is complete.
 * @param known id of the upload begun with this file; null if none
 * @returns the id of the upload
 * @throws {ApiError}
 */
export async function sendFile(added: AddedFile, known: string | null, sending: Sending): Promise<string> {
  const id = known ?? (await createUpload(added, sending));
  try {
    await sendParts(id, added.file, known === null ? [] : await partsThere(id), sending);
    await call('POST', `/uploads/${id}/complete`, undefined, { isRepeatable: true });
    return id;
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 0;
    const code = error instanceof ApiError ? error.code : '';
    // The upload was completed before, but the answer was lost.
    if (code === 'resource_in_use' && (await call<Upload>('GET', `/uploads/${id}`)).uploaded) return id;
    if (status !== 404 || known === null) throw error;
    // The upload was deleted meanwhile: begin again.
    forgetUpload(known);
    sending.onProgress({ uploadID: null, sentBytes: 0 });
    return sendFile(added, null, sending);
  }
}

async function createUpload({ file, folder }: AddedFile, { onProgress }: Sending): Promise<string> {
  const { id } = await call<Upload>('POST', '/uploads', {
    name: file.name,
    mimeType: mediaTypeOf(file),
    fileSize: file.size,
    multipart: true,
    ...(folder !== '' && { folder }),
  });
  rememberUpload({ uploadID: id, name: file.name, size: file.size, lastModified: file.lastModified });
  onProgress({ uploadID: id });
  return id;
}

/** Sends the missing parts, with retries. @throws {ApiError} */
async function sendParts(
  id: string,
  file: File,
  arrivedBefore: readonly number[],
  { signal, onProgress }: Sending,
): Promise<void> {
  const partBytes = await partBytesOf(id);
  const there = new Set(arrivedBefore);
  const all = Array.from({ length: Math.ceil(file.size / partBytes) }, (_, index) => index + 1);
  const missing = all.filter((part) => !there.has(part));
  const sizeOf = (part: number) => Math.min(partBytes, file.size - (part - 1) * partBytes);
  const arrived = new Map(all.filter((part) => there.has(part)).map((part) => [part, sizeOf(part)]));
  const recordArrived = (part: number, bytes: number) => {
    arrived.set(part, bytes);
    onProgress({ sentBytes: [...arrived.values()].reduce((sum, each) => sum + each, 0) });
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
        onSent: (sent) => recordArrived(part, sent),
        signal: AbortSignal.any([signal, ended.signal]),
      });
      recordArrived(part, sizeOf(part));
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
