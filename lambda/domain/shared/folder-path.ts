// Folders of uploads: paths of names. A folder exists as long as an upload is in it.

/** Maximum depth of a folder. */
export const maxDepth = 8;
const maxNameLength = 255;

/** Maximum length of a path: the maximum of each of its names. */
export const maxFolderLength = maxDepth * (maxNameLength + 1) - 1;

/** Fault of a path, as a sentence; null if there is none. The empty path means no folder, and is valid. */
export function faultOfFolder(path: string): string | null {
  if (path === '') return null;
  const names = path.split('/');
  if (names.length > maxDepth) return `A folder is at most ${maxDepth} deep.`;
  for (const name of names) {
    if (name.trim() !== name || name === '')
      return 'Must be names with a / between them, without spaces around them, such as Music/Live.';
    if (name === '.' || name === '..') return 'A folder is not called . or .., since paths are not resolved.';
    if (name.length > maxNameLength) return `A name in the path has at most ${maxNameLength} characters.`;
    if (/\p{Cc}/u.test(name)) return 'A name has no control characters.';
  }
  return null;
}

/** Whether a folder is the other one or inside it. */
export function isWithin(folder: string, other: string): boolean {
  return folder === other || folder.startsWith(`${other}/`);
}
