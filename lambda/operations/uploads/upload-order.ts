// What people call an upload, and where they keep it: the fields that requests set.
import * as z from 'zod';
import type { ArrangedUpload, Upload } from '../../data/media/uploads.ts';
import { faultOfFolder, maxDepth, maxFolderLength } from '../../domain/shared/folder-path.ts';
import type { Context } from '../context.ts';
import { text } from '../fields.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** How many tags an upload may have. */
export const maxTags = 32;

/** A path that may be empty. */
export const folderPath = z
  .string()
  .max(maxFolderLength)
  .superRefine((path, check) => {
    const message = faultOfFolder(path);
    if (message !== null) check.addIssue({ code: 'custom', message });
  })
  .describe(`Names with / between them, at most ${maxDepth} deep; empty: in no folder.`);

/** The path of a folder that there is. */
export const namedFolder = folderPath.min(1).describe('Such as Music/Live.');

export const uploadName = text(1, 255).describe('A name for people.');

const tag = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u, {
    error: 'Must not begin or end with a space, nor have control characters.',
  });

export const tags = z.array(tag).max(maxTags).describe('Capital letters make no difference.');

/** Tags to add or to remove. */
export const someTags = tags.min(1);

/** The same tags, each once however it is written. */
export function distinctTags(given: readonly string[]): string[] {
  return [...new Map(given.map((each) => [each.toLowerCase(), each])).values()];
}

/** The tags with some more; null where they would be too many. */
export function withTags(before: readonly string[], added: readonly string[]): string[] | null {
  const all = distinctTags([...before, ...added]);
  return all.length > maxTags ? null : all;
}

export function withoutTags(before: readonly string[], removed: readonly string[]): string[] {
  const gone = new Set(removed.map((each) => each.toLowerCase()));
  return before.filter((each) => !gone.has(each.toLowerCase()));
}

/** Changes some settings of an upload. An import keeps a name that its user has given. */
export async function arrangeUpload(
  ctx: Context,
  before: Locked<Upload>,
  changes: { readonly [Field in keyof ArrangedUpload]?: Upload[Field] | undefined },
): Promise<Upload> {
  if (changes.name !== undefined) await ctx.data.imports.keepName(before.id);
  const given = Object.entries(changes).filter(([, change]) => change !== undefined);
  return ctx.data.uploads.arrange(before.id, { ...before, ...Object.fromEntries(given) });
}
