// What viewers are told that an item is called.

/** The name of its upload without the end of a file's name. */
export function titleOfUpload(name: string): string {
  return name.replace(/\.\w{2,4}$/, '');
}
