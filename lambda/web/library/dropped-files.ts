// The files that somebody drops, with those in folders, which become folders of the library.
import { maxDepth } from '../../domain/shared/folder-path.ts';
import { isMedia } from './media-types.ts';

export interface AddedFile {
  readonly file: File;
  /** Where it goes in the library: names with / between; empty: in no folder. */
  readonly folder: string;
}

/** @returns all files of a drop; of dropped folders those that are media */
export async function droppedFiles(transfer: DataTransfer): Promise<readonly AddedFile[]> {
  // Entries are there only until the event is over; files are read from them later.
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
    // A reader answers some entries at a time, and none at the end.
    // oxlint-disable-next-line no-await-in-loop -- in order
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    // oxlint-disable-next-line no-await-in-loop -- in order
    found.push(...(await Promise.all(some.map(filesIn))).flat());
  }
}

/** @returns the files that somebody has chosen, in no folder */
export function chosenFiles({ files }: HTMLInputElement): readonly AddedFile[] {
  return [...(files ?? [])].map((file) => ({ file, folder: '' }));
}
