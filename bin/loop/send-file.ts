// Sends a file in parts. A process that is killed at any moment is continued by the next.
// Decision D240.
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { waitFor } from '../../lambda/surfaces/sdk/typescript/loop.ts';
import type { Upload } from '../../lambda/web/app/types.ts';
import type { Client } from './client.ts';
import { LoopFailure } from './failure.ts';
import { keepFile, readKept } from './kept-files.ts';
import type { MediaFile } from './media-folder.ts';

export interface SendingOptions {
  readonly client: Client;
  /** The folder of the uploads under way. */
  readonly folder: string;
  /** Called with the bytes that have arrived. */
  readonly onProgress: (bytes: number) => void;
}

interface KeptUpload {
  readonly uploadID: string;
}

const everySeconds = 0.25;

/** Sends a file, or its missing parts. @returns the ID of its upload @throws {LoopFailure} */
export async function sendFile(file: MediaFile, { client, folder, onProgress }: SendingOptions): Promise<string> {
  const identity = hash('sha256', [client.apiURL, file.path, file.bytes, file.modifiedMs].join('\n'));
  const keptPath = join(folder, `${identity}.json`);
  const kept = await readKept<KeptUpload>(keptPath);
  const known = kept && (await readUpload(client, kept.uploadID));
  if (known?.uploaded) return known.id;
  // A key that follows from the file: an upload whose answer was lost is not made twice.
  const upload = known ?? (await createUpload(file, client, kept === null ? identity : undefined));
  await keepFile(keptPath, { uploadID: upload.id, file: file.path } satisfies KeptUpload & { file: string });
  if (!upload.uploaded) await client.sendParts(upload.id, file.path, onProgress);
  return upload.id;
}

/** Waits until an upload has been examined. @throws {LoopFailure} if the platform cannot use it, or takes too long */
export function untilExamined(client: Client, uploadID: string, timeoutSeconds: number): Promise<Upload> {
  const isExamined = ({ name, failure, probeState }: Upload) => {
    if (failure) throw new LoopFailure('refused', `${name} cannot be used: ${failure.detail}`);
    return probeState === 'completed';
  };
  const late = ({ name }: Upload) => {
    const remedy = 'Run the command again to wait longer: nothing is sent twice.';
    return new LoopFailure(
      'too_late',
      `${name} has arrived, but was not examined within ${timeoutSeconds} s. ${remedy}`,
    );
  };
  const read = () => client.call<Upload>('GET', `/uploads/${uploadID}`);
  return waitFor(read, isExamined, { timeoutSeconds, late, everySeconds });
}

async function readUpload(client: Client, id: string): Promise<Upload | null> {
  try {
    return await client.call<Upload>('GET', `/uploads/${id}`);
  } catch (error) {
    if (error instanceof LoopFailure && error.kind === 'not_found') return null;
    throw error;
  }
}

async function createUpload(file: MediaFile, client: Client, idempotencyKey: string | undefined): Promise<Upload> {
  const body = { name: file.name, mimeType: file.mimeType, fileSize: file.bytes, multipart: true };
  const made = await client.call<Upload>('POST', '/uploads', body, idempotencyKey ? { idempotencyKey } : {});
  // The answer to the key may be of an upload that was deleted since.
  return (await readUpload(client, made.id)) ?? (await client.call<Upload>('POST', '/uploads', body));
}
