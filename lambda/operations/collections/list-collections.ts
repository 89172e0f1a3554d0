// GET /collections: the caller's collections, newest first.
import { collectionBounds, readsOf } from '../../domain/media/collections.ts';
import type { Collection } from '../../data/media/collections.ts';
import type { Context } from '../context.ts';
import { pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { collectionSchema, figuresOf, presentWithFigures } from './collection-schema.ts';

export const listCollections = operation(['service:read'], {
  summary: 'List collections',
  description:
    'Returns collections, newest first. A collection is a set of uploads that fills itself. A page ends early if ' +
    `its collections would have more than ${collectionBounds.membersOfPage.toLocaleString('en')} uploads together.`,
  tag: 'collections',
  route: 'GET /collections',
  query: pageQuery,
  output: { status: 200, body: pageOf(collectionSchema).meta({ id: 'CollectionPage' }) },
  handle: (ctx, { query }) =>
    pageThrough(
      ctx,
      'collections',
      query,
      ({ collection, figures }) => presentWithFigures(collection, figures),
      async (before, count) => withFigures(ctx, await ctx.data.collections.list(ctx.caller.userID, before, count)),
      { sizeOf: uploadsOf, maxSize: collectionBounds.membersOfPage },
    ),
});

interface Listed {
  readonly seq: number;
  readonly collection: Collection;
  readonly figures: Parameters<typeof presentWithFigures>[1];
}

/** The uploads that the row of a collection counts or names. */
function uploadsOf({ collection: { source }, figures }: Listed): number {
  return Math.max(figures.count, 'uploadIDs' in source ? source.uploadIDs.length : 0);
}

/** Adds their figures to collections, a few at once, until they have more uploads than a page may have. */
async function withFigures(ctx: Context, collections: readonly Collection[]): Promise<Listed[]> {
  const listed: Listed[] = [];
  let uploads = 0;
  for (const some of inSets(collections)) {
    const figures = await figuresOf(ctx, some);
    const rows = some.map((collection) => ({
      seq: collection.seq,
      collection,
      figures: figures.get(collection.id)!,
    }));
    listed.push(...rows);
    uploads += rows.reduce((sum, row) => sum + uploadsOf(row), 0);
    if (uploads > collectionBounds.membersOfPage) break;
  }
  return listed;
}

/** Divides collections into sets that one statement reads. */
function inSets(collections: readonly Collection[]): Collection[][] {
  const sets: Collection[][] = [];
  let reads = Infinity;
  for (const collection of collections) {
    reads += readsOf(collection.source);
    if (reads > collectionBounds.readsAtOnce) {
      sets.push([]);
      reads = readsOf(collection.source);
    }
    sets.at(-1)!.push(collection);
  }
  return sets;
}
