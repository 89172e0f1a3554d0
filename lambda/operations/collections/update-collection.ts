// PATCH /collections/{id}: changes the name, the source or the order of a collection.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
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

export const updateCollection = operation(['service:write'], {
  summary: 'Update a collection',
  description: 'Absent fields stay unchanged. source is replaced as a whole.',
  tag: 'collections',
  route: 'PATCH /collections/{id}',
  body: z
    .strictObject({ name: collectionName, source: sourceInput, order: orderInput, groupBy: groupByInput })
    .partial(),
  output: { status: 200, body: collectionSchema },
  async handle(ctx, { params, body: { name, source, order, groupBy } }) {
    const before = orNotFound(await ctx.data.collections.lock(ctx.caller.userID, params.id), 'collection');
    const settings = {
      name: name ?? before.name,
      source: source ?? before.source,
      order: order ?? before.order,
      group_by: groupBy === undefined ? before.group_by : groupOf(groupBy),
    };
    assertGroups(settings, groupBy === undefined ? 'order' : 'groupBy');
    if (source) await assertSource(ctx, before.kind, source, before.id);
    return presentCollection(ctx, await ctx.data.collections.save(before.id, settings));
  },
});
