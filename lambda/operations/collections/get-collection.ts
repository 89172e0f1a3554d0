// GET /collections/{id}: returns one collection.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { collectionSchema, presentCollection } from './collection-schema.ts';

export const getCollection = operation(['service:read'], {
  summary: 'Get a collection',
  description: 'Returns a collection, without its uploads: see list_collection_uploads.',
  tag: 'collections',
  route: 'GET /collections/{id}',
  output: { status: 200, body: collectionSchema },
  handle: async (ctx, { params }) =>
    presentCollection(ctx, orNotFound(await ctx.data.collections.find(ctx.caller.userID, params.id), 'collection')),
});
