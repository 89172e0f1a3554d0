// What a look at a source has seen: its media files, as many as it may have.
import type { ListedFile } from '../../domain/source-scan.ts';
import { scanBounds } from '../../domain/source-scan.ts';

type SeenFile = Omit<ListedFile, 'name' | 'below' | 'isSettling'> & Partial<Pick<ListedFile, 'name' | 'isSettling'>>;

export class FileListing {
  readonly #files = new Map<string, ListedFile>();
  /** Whether there are no more: else nobody knows of a file that is missing whether it is there. */
  isWhole = true;
  /** What is never taken: files with long paths, and folders too deep. */
  leftOut = 0;

  /** @param file its name is the last part of its path unless it has one, and is then in no folder */
  add({ path, name, isSettling = false, ...file }: SeenFile): void {
    if (Buffer.byteLength(path) > scanBounds.pathBytes) this.leftOut += 1;
    else if (this.#files.size >= scanBounds.files && !this.#files.has(path)) this.isWhole = false;
    else {
      const parts = name === undefined ? path.split('/') : [name];
      const below = parts.slice(0, -1).join('/');
      this.#files.set(path, { ...file, path, isSettling, name: nameOf(parts.at(-1)!), below });
    }
  }

  get files(): readonly ListedFile[] {
    return [...this.#files.values()];
  }
}

/** What a stranger calls a file, as an upload can be called. */
function nameOf(given: string): string {
  const name = given
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 255);
  return name === '' ? '-' : name.toWellFormed();
}
