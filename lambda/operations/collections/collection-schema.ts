// A collection in requests and in answers.
import * as z from 'zod';
import type { Collection, CollectionFigures } from '../../data/media/collections.ts';
import { collectionBounds, collectionGroups, collectionOrders, tagGroup } from '../../domain/media/collections.ts';
import type { CollectionGroup } from '../../domain/media/collections.ts';
import { playlistKinds } from '../../domain/playout/playlist-words.ts';
import type { Context } from '../context.ts';
import { id, text, timestamp } from '../fields.ts';
import { shownColumns } from '../shown-columns.ts';
import { folderPath, someTags } from '../uploads/upload-order.ts';

const sourceFields = {
  uploadIDs: z.array(id).max(collectionBounds.uploadIDs).optional().describe('IDs of uploads, in this order.'),
  folder: folderPath.optional().describe('Uploads in this folder. Empty: outside all folders.'),
  recursive: z.boolean().optional().describe('true: also in folders inside folder.'),
  allTags: someTags.optional().describe('Uploads with all of these tags.'),
  anyTags: someTags.optional().describe('Uploads with any of these tags.'),
  noTags: someTags.optional().describe('Uploads with none of these tags.'),
  sourceID: id.optional().describe('ID of a watched source, whose files are the uploads.'),
  playlistID: id.optional().describe('ID of a playlist, whose live version has the uploads.'),
  text: text(1, 255).optional().describe('Uploads with these words, as q of list_uploads.'),
  collectionIDs: z
    .array(id)
    .max(collectionBounds.collectionIDs)
    .optional()
    .describe('IDs of collections of the same kind that together have the uploads. None of them is such a union.'),
};
type SourceField = keyof typeof sourceFields;

/** The fields of each form of a source. */
const forms: readonly (readonly SourceField[])[] = [
  ['uploadIDs'],
  ['folder', 'recursive'],
  ['allTags', 'anyTags', 'noTags'],
  ['sourceID'],
  ['playlistID'],
  ['text'],
  ['collectionIDs'],
];

/** The source of a collection in requests. */
export const sourceInput = z
  .strictObject(sourceFields)
  .superRefine((source, check) => {
    const given = forms.filter((fields) => fields.some((field) => source[field] !== undefined));
    if (given.length !== 1)
      check.addIssue({
        code: 'custom',
        message: 'Name exactly one of uploadIDs, folder, tags, sourceID, playlistID, text and collectionIDs.',
      });
    else if (source.recursive !== undefined && source.folder === undefined)
      check.addIssue({ code: 'custom', path: ['folder'], message: 'Set folder as well: recursive belongs to it.' });
  })
  .describe(
    'Exactly one of uploadIDs, folder, tags (any of allTags, anyTags, noTags), sourceID, playlistID, text and ' +
      'collectionIDs.',
  )
  .meta({ examples: [{ folder: 'Serials', recursive: true }] });

const ids = z.array(z.string()).optional();

/** The source of a collection in answers, whose fields the request describes. */
const shownSource = z
  .object({
    uploadIDs: ids,
    folder: z.string().optional(),
    recursive: z.boolean().optional(),
    allTags: ids,
    anyTags: ids,
    noTags: ids,
    sourceID: z.string().optional(),
    playlistID: z.string().optional(),
    text: z.string().optional(),
    collectionIDs: ids,
  } satisfies Record<SourceField, z.ZodType>)
  .describe('As in create_collection. Deleted uploads and collections are left out of lists.')
  .meta({ id: 'CollectionSource' });

export const collectionName = text(1, 255).describe('Name for people.');

export const orderInput = z
  .enum(collectionOrders)
  .describe(
    'sequential: as listed, else by folder and name. shuffle: decided when played. newest, oldest: by createdAt. ' +
      'series: by name in each group of groupBy.',
  );

export const groupByInput = z
  .string()
  .max(tagGroup.length + 64)
  .regex(/^(?:folder|artist|album|tag:[^\p{Cc}]+)$/u, {
    error: `Use ${collectionGroups.join(', ')}, or ${tagGroup} with the beginning of tags, such as ${tagGroup}series.`,
  })
  .nullable()
  .describe('With order series: folder, artist, album, or tag: with the beginning of tags. null: one group.')
  .meta({ examples: ['artist'] });

/** The group that a request names. Its form has been checked. */
export function groupOf(input: z.output<typeof groupByInput>): CollectionGroup | null {
  return input as CollectionGroup | null;
}

export const collectionSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(playlistKinds),
    source: shownSource,
    order: z.enum(collectionOrders),
    groupBy: z.string().nullable(),
    count: z.int32().describe('Number of uploads, also of those that cannot be played.'),
    durationSeconds: z.number().describe('Duration of all uploads with a known duration, in seconds.'),
    secondsWithoutRepeat: z.number().describe('Time that all playable uploads take once.'),
    complete: z
      .boolean()
      .describe(
        `false: more than ${collectionBounds.members.toLocaleString('en')} uploads match. Only the oldest are in it, ` +
          'with order newest the newest. Split it.',
      ),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Collection' });

const figureFields = ['count', 'durationSeconds', 'secondsWithoutRepeat', 'complete'] as const;
const noFigures: CollectionFigures = { count: 0, duration_seconds: 0, seconds_without_repeat: 0, complete: true };

/** Whether the caller selected fields that are computed from all uploads of a collection. */
export function areFiguresWanted(ctx: Context): boolean {
  return figureFields.some((field) => ctx.isWanted(`Collection.${field}`));
}

/**
 * Loads the figures of the first of these collections, by id, as far as a page may read. It is one statement, or none
 * if the caller did not select them.
 */
export async function figuresOf(
  ctx: Context,
  collections: readonly Collection[],
): Promise<ReadonlyMap<string, CollectionFigures>> {
  if (!areFiguresWanted(ctx)) return new Map(collections.map(({ id }) => [id, noFigures]));
  const ids = collections.map(({ id }) => id);
  return ctx.data.collections.figures(ctx.caller.userID, ids, collectionBounds.rowsOfPage);
}

export function presentWithFigures(
  collection: Collection,
  figures: CollectionFigures,
): z.input<typeof collectionSchema> {
  return shownColumns(collectionSchema, { ...collection, ...figures }) as z.input<typeof collectionSchema>;
}

export async function presentCollection(
  ctx: Context,
  collection: Collection,
): Promise<z.input<typeof collectionSchema>> {
  return presentWithFigures(collection, (await figuresOf(ctx, [collection])).get(collection.id)!);
}
