// GET /streams: the caller's streams, newest first, or those that are looked for, in another order.
import * as z from 'zod';
import { streamSortKeys } from '../../data/streams/stream-lists.ts';
import type { StreamOrder, StreamSortKey } from '../../data/streams/stream-lists.ts';
import { streamStates } from '../../domain/streams/stream-lifecycle.ts';
import { id, pageOf, pageQuery, text, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { pageThroughSorted } from '../sorted-page.ts';
import { presentStreams, streamSchema } from './stream-schema.ts';

const sorts = streamSortKeys.flatMap((key) => [key, `-${key}` as const]);

export const listStreams = operation(['service:read'], {
  id: 'listStreams',
  summary: 'List streams',
  description:
    'Newest first, unless sort says otherwise; all filters have to fit. ' +
    'A stream loops media to one RTMP destination, around the clock.',
  tag: 'streams',
  method: 'GET',
  path: '/streams',
  query: {
    ...pageQuery,
    ids: z
      .array(id.max(64))
      .min(1)
      .max(100)
      .optional()
      .describe('This set, all on one page; unknown ones are left out.'),
    q: text(1, 255).optional().describe('A part of the name.'),
    state: z
      .array(z.enum(streamStates))
      .min(1)
      .max(streamStates.length)
      .optional()
      .describe('Only streams in one of these.'),
    needsAttention: z
      .boolean()
      .optional()
      .describe('Failing, failed or warned of, with an open incident, or refused by its platform.'),
    destinationID: id.optional().describe('With an output there.'),
    updatedSince: timestampInput.optional().describe('Changed then or later.'),
    sort: z.enum(sorts).default('-createdAt').describe('- before it for descending.'),
  },
  output: { status: 200, body: pageOf(streamSchema).meta({ id: 'StreamPage' }) },
  errors: ['invalid_cursor'],
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
      (after, count) => ctx.data.streamLists.search(userID, filter, orderOf(sort), after, count),
    );
    return { data: await presentStreams(ctx, data), page };
  },
});

function orderOf(sort: (typeof sorts)[number]): StreamOrder {
  const descending = sort.startsWith('-');
  return { by: (descending ? sort.slice(1) : sort) as StreamSortKey, descending };
}
