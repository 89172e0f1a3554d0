// The media files of a folder, and the track of a stream that each belongs to.
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { mediaTypeByName } from '../../lambda/domain/media/media-types.ts';
import { LoopFailure } from './failure.ts';

export type TrackKind = 'video' | 'audio';

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
