// Sends a file in parts. A process that is killed at any moment is continued by the next.
// Decision D240.
import { createHash, hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
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

interface PartURLs {
  readonly partSizeBytes: number;
  readonly parts: readonly { readonly partNumber: number; readonly url: string; readonly headers: HeadersInit }[];
}

const partsAtOnce = 3;
const partAttempts = 6;
const firstPauseMs = 500;
const examinedEveryMs = 250;
/** For a URL that nothing is sent to: the size of the parts is in its answer. */
const anyHash = Buffer.alloc(32).toString('base64');

/** Sends a file, or its missing parts. @returns its upload @throws {LoopFailure} */
export async function sendFile(file: MediaFile, options: SendingOptions): Promise<Upload> {
  const { client, folder } = options;
  const identity = hash('sha256', [client.apiURL, file.path, file.bytes, file.modifiedMs].join('\n'));
  const keptPath = join(folder, `${identity}.json`);
  const kept = await readKept<KeptUpload>(keptPath);
  const known = kept && (await readUpload(client, kept.uploadID));
  if (known?.uploaded) return known;
  // A key that follows from the file: an upload whose answer was lost is not made twice.
  const upload = known ?? (await createUpload(file, client, kept === null ? identity : undefined));
  await keepFile(keptPath, { uploadID: upload.id, file: file.path } satisfies KeptUpload & { file: string });
  if (!upload.uploaded) await sendParts(upload.id, file, options);
  return await complete(upload.id, file, options);
}

/** Waits until an upload has been examined. @throws {LoopFailure} if the platform cannot use it */
export async function untilExamined(client: Client, uploadID: string): Promise<Upload> {
  for (;;) {
    const upload = await client.call<Upload>('GET', `/uploads/${uploadID}`);
    if (upload.failure) throw new LoopFailure('refused', `${upload.name} cannot be used: ${upload.failure.detail}`);
    if (upload.probeState === 'completed') return upload;
    await setTimeout(examinedEveryMs);
  }
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

async function complete(id: string, file: MediaFile, options: SendingOptions): Promise<Upload> {
  for (;;) {
    try {
      return await options.client.call<Upload>('POST', `/uploads/${id}/complete`, undefined, { isRepeatable: true });
    } catch (error) {
      if (!(error instanceof LoopFailure) || error.problem?.code !== 'parts_missing') throw error;
      await sendParts(id, file, options);
    }
  }
}

async function sendParts(id: string, file: MediaFile, { client, onProgress }: SendingOptions): Promise<void> {
  const arrived = await client.call<readonly { partNumber: number; sizeBytes: number }[]>(
    'GET',
    `/uploads/${id}/parts`,
  );
  const there = new Map(arrived.map(({ partNumber, sizeBytes }) => [partNumber, sizeBytes]));
  const { partSizeBytes } = await askURL(client, id, 1, anyHash);
  const count = Math.ceil(file.bytes / partSizeBytes);
  const missing = Array.from({ length: count }, (_, index) => index + 1).filter((part) => !there.has(part));
  const report = () => onProgress([...there.values()].reduce((sum, bytes) => sum + bytes, 0));
  report();
  await using source = await open(file.path);
  const next = missing.values();
  const lane = async () => {
    for (const part of next) {
      const start = (part - 1) * partSizeBytes;
      const bytes = await readPart(source, file, start, Math.min(partSizeBytes, file.bytes - start));
      await sendPart(client, id, part, bytes);
      there.set(part, bytes.length);
      report();
    }
  };
  await Promise.all(Array.from({ length: partsAtOnce }, lane));
}

async function readPart(source: FileHandle, file: MediaFile, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await source.read(bytes, 0, length, start);
  if (bytesRead < length) throw new LoopFailure('refused', `${file.path} became shorter while it was sent. Try again.`);
  return bytes;
}

function askURL(client: Client, id: string, partNumber: number, sha256: string): Promise<PartURLs> {
  const body = { partNumbers: [partNumber], sha256: [sha256] };
  return client.call<PartURLs>('POST', `/uploads/${id}/part-urls`, body, { isRepeatable: true });
}

/** Each attempt has a new URL, because URLs expire. The store refuses bytes with another hash. */
async function sendPart(client: Client, id: string, partNumber: number, bytes: Buffer): Promise<void> {
  const sha256 = createHash('sha256').update(bytes).digest('base64');
  for (let attempt = 1; attempt <= partAttempts; attempt++) {
    const { parts } = await askURL(client, id, partNumber, sha256);
    const { url, headers } = parts[0]!;
    const put = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) }).catch(() => null);
    if (put?.ok) return;
    await setTimeout(firstPauseMs * 2 ** attempt);
  }
  throw new LoopFailure(
    'unreachable',
    'The store of files does not take the parts. Run the command again: it continues.',
  );
}
