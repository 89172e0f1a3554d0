// GET /collections: the caller's collections, newest first.
import { collectionBounds } from '../../domain/media/collections.ts';
import type { Collection, CollectionFigures } from '../../data/media/collections.ts';
import type { Context } from '../context.ts';
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { collectionSchema, figuresOf, presentWithFigures } from './collection-schema.ts';

export const listCollections = operation(['service:read'], {
  summary: 'List collections',
  description:
    'Returns collections, newest first. A collection is a set of uploads that fills itself. A page ends early if ' +
    `more than ${collectionBounds.rowsOfPage.toLocaleString('en')} uploads would have to be read for it.`,
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
      async (before, count) => withFigures(ctx, await ctx.data.collections.list(ctx.caller.userID, before, count)),
      { sizeOf, maxSize: collectionBounds.rowsOfPage },
    ),
});

interface Listed {
  readonly seq: number;
  readonly collection: Collection;
  /** Null: more uploads would be read than a page may read. */
  readonly figures: CollectionFigures | null;
}

/** Uploads of a collection that the page names, or reads beyond its bound. */
function sizeOf({ collection: { source }, figures }: Listed): number {
  if (figures === null) return Infinity;
  return 'uploadIDs' in source ? source.uploadIDs.length : 0;
}

/** Adds the figures of collections, as far as a page may read. */
async function withFigures(ctx: Context, collections: readonly Collection[]): Promise<Listed[]> {
  const figures = await figuresOf(ctx, collections);
  return collections.map((collection) => ({
    seq: collection.seq,
    collection,
    figures: figures.get(collection.id) ?? null,
  }));
}
