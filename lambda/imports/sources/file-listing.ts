// What a look at a source has seen: its media files, as many as it may have.
import { createHash } from 'node:crypto';
import type { ListedFile } from '../../domain/sources/source-scan.ts';
import { scanBounds } from '../../domain/sources/source-scan.ts';

type SeenFile = Omit<ListedFile, 'name' | 'below' | 'isSettling'> & Partial<Pick<ListedFile, 'name' | 'isSettling'>>;

export class FileListing {
  readonly #files = new Map<string, ListedFile>();
  /** Whether there are no more: else nobody knows of a file that is missing whether it is there. */
  isWhole = true;
  /** What is never taken: files with long or malformed paths, links and sizes, and folders too deep. */
  leftOut = 0;

  /**
   * @param file its name is the last part of its path unless it has one, and is then in no folder. Of its version and
   * its fingerprint only digests are kept, as strangers make them as long as they like.
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

/** Whether the path of a file is within bounds and the same when it is read again, and its link and its size are. */
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

/** What a stranger calls a file, as an upload can be called. */
function nameOf(given: string): string {
  const name = given
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 255);
  return name === '' ? '-' : name.toWellFormed();
}
