// GET /streams: the caller's streams, filtered and sorted, newest first by default.
import * as z from 'zod';
import { streamStates } from '../../domain/streams/stream-lifecycle.ts';
import { id, pageOf, pageQuery, text, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { orderOf, pageThroughSorted, sortsOf } from '../sorted-page.ts';
import { presentStreams, streamSchema } from './stream-schema.ts';
import { streamSortKeys } from '../../domain/streams/stream-words.ts';
import type { StreamSortKey } from '../../domain/streams/stream-words.ts';

const sorts = sortsOf(streamSortKeys);

export const listStreams = operation(['service:read'], {
  summary: 'List streams',
  description:
    'Returns streams that match all filters, newest first unless sort is set. A stream loops media to its ' +
    'destinations around the clock.',
  tag: 'streams',
  route: 'GET /streams',
  query: {
    ...pageQuery,
    ids: z
      .array(id.max(64))
      .min(1)
      .max(100)
      .optional()
      .describe('Only these streams, all on one page. Unknown IDs are ignored.'),
    q: text(1, 255).optional().describe('Part of the name.'),
    state: z
      .array(z.enum(streamStates))
      .min(1)
      .max(streamStates.length)
      .optional()
      .describe('Only streams in one of these states.'),
    needsAttention: z
      .boolean()
      .optional()
      .describe(
        'true: only streams that are failing, have failed, have a warning or an open incident, or are refused by ' +
          'their platform. false: only the others.',
      ),
    destinationID: id.optional().describe('Only streams with an output to this destination.'),
    updatedSince: timestampInput.optional().describe('Only streams that changed at this time or later.'),
    sort: z.enum(sorts).default('-createdAt').describe('Field to sort by. A leading - sorts in descending order.'),
  },
  output: { status: 200, body: pageOf(streamSchema).meta({ id: 'StreamPage' }) },
  async handle(ctx, { query }) {
    const { userID } = ctx.caller;
    const { ids, limit, cursor, sort, q = null, state = null, needsAttention = null, destinationID = null } = query;
    const { updatedSince = null } = query;
    if (ids) {
      const found = await ctx.data.streams.findMany(userID, ids);
      const streams = found.filter((stream) => state === null || state.includes(stream.state));
      return { data: await presentStreams(ctx, streams), page: { hasMore: false, nextCursor: '' } };
    }
    const filter = { q, states: state, needsAttention, destinationID, updatedSince };
    const { data, page } = await pageThroughSorted(
      ctx,
      `streams ${JSON.stringify({ ...filter, sort })}`,
      { limit, cursor },
      (after, count) => ctx.data.streamLists.search(userID, filter, orderOf<StreamSortKey>(sort), after, count),
    );
    return { data: await presentStreams(ctx, data), page };
  },
});
