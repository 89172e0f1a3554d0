// The files that a user drops on the page. Dropped folders become folders of the library.
import { maxDepth } from '../../domain/shared/folder-path.ts';
import { isMedia } from './media-types.ts';

export interface AddedFile {
  readonly file: File;
  /** The folder of the library, as names with / between them; empty for no folder. */
  readonly folder: string;
}

/** @returns all files of a drop; of dropped folders only media files */
export async function droppedFiles(transfer: DataTransfer): Promise<readonly AddedFile[]> {
  // Entries exist only during the event; their files can be read later.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const found = await Promise.all(entries.map(filesIn));
  return found.flat().filter(({ file, folder }) => folder === '' || (isMedia(file) && !file.name.startsWith('.')));
}

async function filesIn(entry: FileSystemEntry): Promise<readonly AddedFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    const folders = entry.fullPath.split('/').slice(1, -1);
    return [{ file, folder: folders.slice(0, maxDepth).join('/') }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: AddedFile[] = [];
  for (;;) {
    // A reader returns some entries at a time, and none at the end.
    // oxlint-disable-next-line no-await-in-loop -- in order
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    // oxlint-disable-next-line no-await-in-loop -- in order
    found.push(...(await Promise.all(some.map(filesIn))).flat());
  }
}

/** @returns the files chosen in a file field, in no folder */
export function chosenFiles({ files }: HTMLInputElement): readonly AddedFile[] {
  return [...(files ?? [])].map((file) => ({ file, folder: '' }));
}
