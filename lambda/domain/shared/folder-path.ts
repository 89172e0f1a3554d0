// Folders of uploads: a folder is a path of names, and is there as long as an upload is in it.

/** How deep a folder may be. */
export const maxDepth = 8;
const maxNameLength = 255;

/** The longest path that may be: each of its names is as long as it may be. */
export const maxFolderLength = maxDepth * (maxNameLength + 1) - 1;

/** What is wrong with a path, as a sentence; null if nothing is. The empty path is no folder, and is none. */
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

/** Whether a folder is the other one, or somewhere in it. */
export function isWithin(folder: string, other: string): boolean {
  return folder === other || folder.startsWith(`${other}/`);
}

/** Where `folder`, which is within `from`, is once `from` is called `to`. @param to empty: outside all folders */
export function movedFolder(folder: string, from: string, to: string): string {
  const rest = folder.slice(from.length + 1);
  return [to, rest].filter((part) => part !== '').join('/');
}
