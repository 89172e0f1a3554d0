// The name, folder and tags of an upload: the fields that requests set.
import * as z from 'zod';
import type { ArrangedUpload, Upload } from '../../data/media/uploads.ts';
import { faultOfFolder, maxDepth, maxFolderLength } from '../../domain/shared/folder-path.ts';
import type { Context } from '../context.ts';
import { text } from '../fields.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The most tags of an upload. */
export const maxTags = 32;

/** The path of a folder. Empty: no folder. */
export const folderPath = z
  .string()
  .max(maxFolderLength)
  .superRefine((path, check) => {
    const message = faultOfFolder(path);
    if (message !== null) check.addIssue({ code: 'custom', message });
  })
  .describe(`Path of a folder: names separated by /, at most ${maxDepth} levels. Empty: no folder.`);

/** The path of an existing folder. */
export const namedFolder = folderPath.min(1).describe('Path of an existing folder, such as Music/Live.');

export const uploadName = text(1, 255).describe('Name for people.');

const tag = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[^\s\p{Cc}](?:[^\p{Cc}]*[^\s\p{Cc}])?$/u, {
    error: 'A tag must not begin or end with a space, and must not contain control characters.',
  });

export const tags = z.array(tag).max(maxTags).describe('Tags. Upper and lower case are equal.');

/** Tags to add or to remove. */
export const someTags = tags.min(1);

/** Removes tags that differ only in case. */
export function distinctTags(given: readonly string[]): string[] {
  return [...new Map(given.map((each) => [each.toLowerCase(), each])).values()];
}

/**
 * Adds tags.
 * @returns null if the result would have too many tags
 */
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
  if (changes.name !== undefined) await ctx.data.imports.keepNames([before.id]);
  const given = Object.entries(changes).filter(([, change]) => change !== undefined);
  return ctx.data.uploads.arrange(before.id, { ...before, ...Object.fromEntries(given) });
}
