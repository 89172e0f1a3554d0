// Copies the objects of one local run to another.
import { copyFile, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expiringObjects } from '../../lambda/domain/media/object-keys.ts';

/**
 * Existing objects stay unchanged, so that an interrupted copy can be continued. Pictures of live streams are left out,
 * because they are made again, and so are segments of contributors, which are kept for a day only.
 * @returns the number of copied objects
 */
export async function copyObjects(from: string, to: string): Promise<number> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true }).catch(() => []);
  let copied = 0;
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const key = path.slice(from.length + 1);
    const target = join(to, key);
    if (isLeftOut(key) || (await stat(target).catch(() => null))) continue;
    await mkdir(dirname(target), { recursive: true });
    await copyFile(path, `${target}.part`);
    await rename(`${target}.part`, target);
    copied++;
  }
  return copied;
}

function isLeftOut(key: string): boolean {
  return expiringObjects.some(({ prefix }) => key.startsWith(prefix));
}
