// The uploads that have begun, in local storage: after a reload, a file is recognised when the user chooses it again.

/** An upload that has begun, with the facts that identify its file. */
export interface RememberedUpload {
  readonly uploadID: string;
  readonly name: string;
  readonly size: number;
  readonly lastModified: number;
}

const storageKey = 'uploads';

export function rememberedUploads(): readonly RememberedUpload[] {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '[]') as RememberedUpload[];
  } catch {
    return [];
  }
}

export function rememberUpload(upload: RememberedUpload): void {
  localStorage.setItem(storageKey, JSON.stringify([...rememberedUploads(), upload]));
}

export function forgetUpload(uploadID: string): void {
  const others = rememberedUploads().filter((each) => each.uploadID !== uploadID);
  localStorage.setItem(storageKey, JSON.stringify(others));
}

/** Whether an upload began with this file. */
export function isOfFile(known: RememberedUpload, { name, size, lastModified }: File): boolean {
  return known.name === name && known.size === size && known.lastModified === lastModified;
}
