// The files that somebody drops or chooses, with those in folders.

/** @returns all files of a drop, those in dropped folders among them */
export async function droppedFiles(transfer: DataTransfer): Promise<readonly File[]> {
  // Entries are there only until the event is over; files are read from them later.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const found = await Promise.all(entries.map(filesIn));
  return found.flat().filter(({ name }) => !name.startsWith('.'));
}

async function filesIn(entry: FileSystemEntry): Promise<readonly File[]> {
  if (entry.isFile)
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: File[] = [];
  for (;;) {
    // A reader answers some entries at a time, and none at the end.
    // oxlint-disable-next-line no-await-in-loop -- in order
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    // oxlint-disable-next-line no-await-in-loop -- in order
    found.push(...(await Promise.all(some.map(filesIn))).flat());
  }
}
