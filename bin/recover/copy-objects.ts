// Copies the objects of one local run beside those of another.
import { copyFile, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { previewsPrefix } from '../../lambda/domain/media/object-keys.ts';

/**
 * What is there already is left alone, so that a copy that was interrupted goes on. What is shown of live streams is
 * left out: it is made anew.
 * @returns how many were copied
 */
export async function copyObjects(from: string, to: string): Promise<number> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true }).catch(() => []);
  let copied = 0;
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const key = path.slice(from.length + 1);
    const target = join(to, key);
    if (key.startsWith(previewsPrefix) || (await stat(target).catch(() => null))) continue;
    await mkdir(dirname(target), { recursive: true });
    await copyFile(path, `${target}.part`);
    await rename(`${target}.part`, target);
    copied++;
  }
  return copied;
}
