// POST /collections: creates a set of uploads that fills itself.
import * as z from 'zod';
import { playlistKinds } from '../../domain/playout/playlist-words.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { assertGroups, assertSource } from './assert-collection.ts';
import {
  collectionName,
  collectionSchema,
  groupByInput,
  groupOf,
  orderInput,
  presentCollection,
  sourceInput,
} from './collection-schema.ts';

export const createCollection = operation(['service:write'], {
  summary: 'Create a collection',
  description:
    'Creates a set of uploads that fills itself: an upload is in it as long as it matches source. Next: ' +
    'list_collection_uploads.',
  tag: 'collections',
  route: 'POST /collections',
  body: z.strictObject({
    name: collectionName,
    kind: z
      .enum(playlistKinds)
      .describe('Track that it is for. video: uploads with a picture. audio: uploads with sound.'),
    source: sourceInput,
    order: orderInput.default('sequential'),
    groupBy: groupByInput.default(null),
  }),
  output: { status: 201, body: collectionSchema, location: ({ id }) => `/collections/${id}` },
  errors: ['limit_reached'],
  async handle(ctx, { body: { name, kind, source, order, groupBy } }) {
    const settings = { name, order, source, group_by: groupOf(groupBy) };
    assertGroups(settings, 'groupBy');
    await assertSource(ctx, kind, source, null);
    await assertRoom(ctx, { collections: 1 });
    return presentCollection(
      ctx,
      await ctx.data.collections.insert(ctx.newID('col'), ctx.caller.userID, kind, settings),
    );
  },
});
