// The result of a scan: the media files of a source, up to a limit.
import { createHash } from 'node:crypto';
import type { ListedFile } from '../../domain/sources/source-scan.ts';
import { scanBounds } from '../../domain/sources/source-scan.ts';

type SeenFile = Omit<ListedFile, 'name' | 'below' | 'isSettling'> & Partial<Pick<ListedFile, 'name' | 'isSettling'>>;

export class FileListing {
  readonly #files = new Map<string, ListedFile>();
  /** Whether the listing is complete. If not, a missing file may still exist. */
  isWhole = true;
  /** Number of files with too long or malformed paths, links or sizes, and of folders that are too deep. */
  leftOut = 0;

  /**
   * @param file its name defaults to the last part of its path; a file with a name is in no folder. Only digests of its
   * version and its fingerprint are kept, as these may have any length.
   */
  add({ path, name, isSettling = false, version, fingerprint, ...file }: SeenFile): void {
    if (!canBeKept(path, file)) this.leftOut += 1;
    else if (this.#files.size >= scanBounds.files && !this.#files.has(path)) this.isWhole = false;
    else {
      const parts = name === undefined ? path.split('/') : [name];
      const below = parts.slice(0, -1).join('/');
      this.#files.set(path, {
        ...file,
        path,
        isSettling,
        name: nameOf(parts.at(-1)!),
        below,
        version: digest(version),
        fingerprint: fingerprint === null ? null : digest(fingerprint),
      });
    }
  }

  get files(): readonly ListedFile[] {
    return [...this.#files.values()];
  }
}

/** Whether the path, the link and the size of a file are within limits, and the path survives encoding. */
function canBeKept(path: string, { url, sizeBytes }: Pick<ListedFile, 'url' | 'sizeBytes'>): boolean {
  if (!path.isWellFormed() || path.includes('\0') || Buffer.byteLength(path) > scanBounds.pathBytes) return false;
  return (
    url.length <= scanBounds.urlCharacters &&
    (sizeBytes === null || (Number.isSafeInteger(sizeBytes) && sizeBytes >= 0))
  );
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** A file's name as a valid name of an upload. */
function nameOf(given: string): string {
  const name = given
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 255);
  return name === '' ? '-' : name.toWellFormed();
}
