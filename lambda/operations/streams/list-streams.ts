// GET /streams: the caller's streams, newest first, or those with the given ids.
import * as z from 'zod';
import { streamStates } from '../../domain/stream-lifecycle.ts';
import { id, pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { presentStreams, streamSchema } from './stream-schema.ts';

export const listStreams = operation(['service:read'], {
  id: 'listStreams',
  summary: 'List streams',
  description: 'Newest first. A stream loops media to one RTMP destination, around the clock.',
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
    state: z.enum(streamStates).optional().describe('Only streams in this state.'),
  },
  output: { status: 200, body: pageOf(streamSchema).meta({ id: 'StreamPage' }) },
  errors: ['invalid_cursor'],
  async handle(ctx, { query }) {
    const { userID } = ctx.caller;
    const state = query.state ?? null;
    if (query.ids) {
      const found = await ctx.data.streams.findMany(userID, query.ids);
      const streams = found.filter((stream) => state === null || stream.state === state);
      return { data: await presentStreams(ctx, streams), page: { hasMore: false, nextCursor: '' } };
    }
    const { data, page } = await pageThrough(
      ctx,
      `streams state=${state}`,
      query,
      (before, count) => ctx.data.streams.list(userID, state, before, count),
      (stream) => stream,
    );
    return { data: await presentStreams(ctx, data), page };
  },
});
