// GET /collections: the caller's collections, newest first.
import { collectionBounds } from '../../domain/media/collections.ts';
import type { CollectionFigures, ListedCollection } from '../../data/media/collections.ts';
import type { Context } from '../context.ts';
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { collectionSchema, figuresOf, presentWithFigures } from './collection-schema.ts';

export const listCollections = operation(['service:read'], {
  summary: 'List collections',
  description:
    'Returns collections, newest first. A collection is a set of uploads that fills itself. A page ends early ' +
    `at ${collectionBounds.rowsOfPage.toLocaleString('en')} uploads to read, or ` +
    `${collectionBounds.listedOfPage.toLocaleString('en')} uploadIDs.`,
  tag: 'collections',
  route: 'GET /collections',
  query: pageQuery,
  output: { status: 200, body: pageOf(collectionSchema).meta({ id: 'CollectionPage' }) },
  handle: (ctx, { query }) =>
    pageThrough(
      ctx,
      'collections',
      query,
      ({ collection, figures }) => presentWithFigures(collection, figures!),
      async (before, count) =>
        withFigures(
          ctx,
          await ctx.data.collections.list(ctx.caller.userID, before, count, collectionBounds.listedOfPage),
        ),
      { sizeOf, maxSize: collectionBounds.listedOfPage },
    ),
});

interface Listed {
  readonly seq: number;
  readonly collection: ListedCollection;
  /** Null: more uploads would be read than a page may read. */
  readonly figures: CollectionFigures | null;
}

/** Uploads that a collection lists; more than any page, if it would be read beyond the page's bound. */
function sizeOf({ collection, figures }: Listed): number {
  return figures === null ? Infinity : collection.listed_count;
}

/** Adds the figures of collections, as far as a page may read. */
async function withFigures(ctx: Context, collections: readonly ListedCollection[]): Promise<Listed[]> {
  const figures = await figuresOf(ctx, collections);
  return collections.map((collection) => ({
    seq: collection.seq,
    collection,
    figures: figures.get(collection.id) ?? null,
  }));
}
