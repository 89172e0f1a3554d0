// Reads media files, sends them in parts, and waits until they are examined.
// A process that is killed at any moment is continued by the next. Decision D240.
import { hash } from 'node:crypto';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { mediaTypeByName } from '../../lambda/domain/media/media-types.ts';
import { waitFor } from '../../lambda/surfaces/sdk/typescript/loop.ts';
import type { Upload } from '../../lambda/web/app/types.ts';
import { LoopFailure } from './failure.ts';
import { keepFile, readKept, uploadsFolder } from './kept-files.ts';
import type { Session } from './session.ts';
import { mebibytes, percent } from './terminal.ts';

export interface MediaFile {
  /** The absolute path, without links. */
  readonly path: string;
  readonly name: string;
  /** The type in the request of the upload; the platform finds out the real one. */
  readonly mimeType: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** Files by the tracks of a stream, in their order: pictures, still or moving, are of one, sound alone of the other. */
export function sortTracks<Item>(items: readonly Item[], typeOf: (item: Item) => string) {
  const trackOf = (item: Item) => (typeOf(item).startsWith('audio') ? 'audio' : 'video');
  const { video = [], audio = [] } = Object.groupBy(items, trackOf);
  return { video, audio };
}

/** @throws {LoopFailure} if it is not a file, or empty, or not named as a medium */
export async function readMediaFile(given: string): Promise<MediaFile> {
  const path = await realpath(given).catch(() => null);
  if (path === null) throw new LoopFailure('not_found', `There is no file ${given}.`);
  const found = await stat(path);
  const name = basename(given);
  const mimeType = mediaTypeByName(name);
  if (!found.isFile()) throw new LoopFailure('usage', `${given} is not a file.`);
  if (found.size === 0) throw new LoopFailure('usage', `${given} is empty.`);
  if (mimeType === undefined)
    throw new LoopFailure('usage', `${name} is not named as video, sound or a picture: its ending is unknown.`);
  return { path, name, mimeType, bytes: found.size, modifiedMs: found.mtimeMs };
}

/**
 * The media files of a folder and the folders in it, by name as people count: 2 before 10.
 * @throws {LoopFailure} if there is no such folder, or no media in it
 */
export async function readMediaFolder(folder: string): Promise<readonly MediaFile[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => null);
  if (entries === null) throw new LoopFailure('not_found', `There is no folder ${folder}.`);
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && mediaTypeByName(entry.name) !== undefined)
    .map((entry) => join(entry.parentPath, entry.name));
  if (paths.length === 0) throw new LoopFailure('usage', `${folder} has no video, sound or picture.`);
  const { compare } = new Intl.Collator('en', { numeric: true });
  return await Promise.all(paths.sort(compare).map(readMediaFile));
}

const filesAtOnce = 3;
const everySeconds = 0.25;

/** `loop upload FILE…` @throws {LoopFailure} */
export async function upload(session: Session, paths: readonly string[]): Promise<void> {
  const uploads = await sendAll(session, await Promise.all(paths.map(readMediaFile)));
  const rows = uploads.map(({ name, id, type, durationSeconds }) => ({ name, id, type, seconds: durationSeconds }));
  session.printer.answer(uploads, { rows });
}

/** Sends files, some at the same time, and waits until each is examined. @throws {LoopFailure} */
export async function sendAll(session: Session, files: readonly MediaFile[]): Promise<readonly Upload[]> {
  const sent = new Map<MediaFile, number>();
  const uploads = new Map<MediaFile, Upload>();
  const sum = (bytes: Iterable<number>) => [...bytes].reduce((total, each) => total + each, 0);
  const all = sum(files.map(({ bytes }) => bytes));
  const report = () => {
    const arrived = sum(sent.values());
    const share = `${mebibytes(arrived)} of ${mebibytes(all)}, ${percent(arrived / all)}`;
    session.printer.progress(`Uploading ${files.length} files: ${share}, ${uploads.size} examined`);
  };
  const next = files.values();
  const lane = async () => {
    for (const file of next) {
      const onProgress = (bytes: number) => {
        sent.set(file, bytes);
        report();
      };
      const id = await send(session, file, onProgress);
      onProgress(file.bytes);
      uploads.set(file, await untilExamined(session, id));
      report();
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, lane));
  session.printer.settle();
  return files.map((file) => uploads.get(file)!);
}

/** Sends a file, or its missing parts. @param onProgress called with the bytes that have arrived @returns its upload */
async function send(session: Session, file: MediaFile, onProgress: (bytes: number) => void): Promise<string> {
  const { client, environment } = session;
  const identity = hash('sha256', [client.apiURL, file.path, file.bytes, file.modifiedMs].join('\n'));
  const keptPath = join(uploadsFolder(environment), `${identity}.json`);
  const kept = await readKept<{ uploadID: string }>(keptPath);
  const known = kept && (await readUpload(session, kept.uploadID));
  if (known?.uploaded) return known.id;
  // A key that follows from the file: an upload whose answer was lost is not made twice.
  const { id, uploaded } = known ?? (await createUpload(session, file, kept === null ? identity : undefined));
  await keepFile(keptPath, { uploadID: id, file: file.path });
  if (!uploaded) await client.sendParts(id, file.path, onProgress);
  return id;
}

/** @throws {LoopFailure} if the platform cannot use the upload, or takes too long */
function untilExamined({ client, timeoutSeconds }: Session, uploadID: string): Promise<Upload> {
  const isExamined = ({ name, failure, probeState }: Upload) => {
    if (failure) throw new LoopFailure('refused', `${name} cannot be used: ${failure.detail}`);
    return probeState === 'completed';
  };
  const late = ({ name }: Upload) => {
    const reason = `${name} has arrived, but was not examined within ${timeoutSeconds} s.`;
    return new LoopFailure('too_late', `${reason} Run the command again to wait longer: nothing is sent twice.`);
  };
  const read = () => client.call<Upload>('GET', `/uploads/${uploadID}`);
  return waitFor(read, isExamined, { timeoutSeconds, late, everySeconds });
}

/** @returns null if the upload was deleted */
async function readUpload({ client }: Session, id: string): Promise<Upload | null> {
  return await client.call<Upload>('GET', `/uploads/${id}`).catch((error: unknown) => {
    if (error instanceof LoopFailure && error.kind === 'not_found') return null;
    throw error;
  });
}

async function createUpload(session: Session, file: MediaFile, idempotencyKey: string | undefined): Promise<Upload> {
  const { client } = session;
  const body = { name: file.name, mimeType: file.mimeType, fileSize: file.bytes, multipart: true };
  const made = await client.call<Upload>('POST', '/uploads', body, { idempotencyKey });
  // The answer to the key may be of an upload that was deleted since.
  return (await readUpload(session, made.id)) ?? (await client.call<Upload>('POST', '/uploads', body));
}
