// GET /streams/{id}/timeline: what a stream plays now and next, and what it played or will play at any other time.
import * as z from 'zod';
import type { Stream } from '../../data/streams.ts';
import { onAirRows } from '../../orchestration/on-air-rows.ts';
import type { OnAirRow } from '../../orchestration/on-air-rows.ts';
import type { Context } from '../context.ts';
import { id, invalidCursor, orNotFound, pageOf, pageQuery, pathID, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { csvOf } from './timeline-csv.ts';
import { timelineRow } from './timeline-row.ts';

const longestDays = 31;
const longestMs = longestDays * 86_400_000;
/** A stream as many a table of a month has rows: a client that wants all of it asks a dozen times. */
const mostRows = 1000;

export const getStreamTimeline = operation(['service:read'], {
  id: 'getStreamTimeline',
  summary: 'Get what a stream plays, and when',
  description:
    'Now, next, and any other time of at most 31 days, to the frame. `aired` is what destinations took. ' +
    'A shuffle is known once it is live.',
  tag: 'streams',
  method: 'GET',
  path: '/streams/{id}/timeline',
  params: { id: pathID },
  query: {
    from: timestampInput.optional().describe('Default: now.'),
    to: timestampInput.optional().describe('Default: 31 days after from.'),
    track: z.enum(['video', 'audio']).optional().describe('Default: audio where tracks play to one picture.'),
    draft: z.boolean().default(false).describe('As if drafts were published now.'),
    playlistID: id.optional().describe("With draft: only this playlist's."),
    limit: z.int().min(1).max(mostRows).default(20).describe('Rows per page.'),
    cursor: pageQuery.cursor,
  },
  output: { status: 200, body: pageOf(timelineRow).meta({ id: 'TimelinePage' }), csv: csvOf },
  errors: ['not_found', 'invalid_cursor'],
  async handle(ctx, { params, query }) {
    const now = await ctx.data.now();
    const from = query.from ?? now;
    const to = query.to ?? new Date(from.getTime() + longestMs);
    if (from >= to) throw refuse('from', 'from has to be before to.');
    if (to.getTime() - from.getTime() > longestMs) throw refuse('to', `Ask for at most ${longestDays} days.`);
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const { draft, playlistID, track = null, limit, cursor } = query;
    const drafts = !draft ? null : playlistID === undefined ? 'all' : { playlistID };
    const listID = `timeline of ${stream.id} ${track} ${draft} ${playlistID}`;
    const afterMs = cursor === undefined ? null : ctx.cursors.open(listID, cursor);
    if (cursor !== undefined && afterMs === null) throw invalidCursor();
    const found = await onAirRows(ctx.data, stream, {
      from: afterMs === null ? from : new Date(afterMs),
      to,
      count: limit + 1,
      track,
      drafts,
      now,
    });
    const hasMore = found.length > limit;
    const next = hasMore ? ctx.cursors.seal(listID, found[limit]!.startAt.getTime()) : '';
    const data = await presentRows(ctx, stream, found.slice(0, limit), afterMs === null ? from : null);
    return { data, page: { hasMore, nextCursor: next } };
  },
});

/** @param from the time that was asked for; null where the page is not the first */
async function presentRows(
  ctx: Pick<Context, 'data'>,
  stream: Stream,
  rows: readonly OnAirRow[],
  from: Date | null,
): Promise<z.input<typeof timelineRow>[]> {
  const uploadIDs = [...new Set(rows.map(({ occurrence }) => occurrence.item.uploadID))];
  const uploads = await ctx.data.runs.uploadFacts(stream.user_id, uploadIDs);
  return rows.map(({ startAt, endAt, occurrence: { item, playlistID }, aired: parts }) => ({
    startAt,
    endAt,
    playlistID,
    itemID: item.itemID,
    uploadID: item.uploadID,
    name: uploads.get(item.uploadID)?.name ?? item.name ?? null,
    positionSeconds: from === null ? 0 : Math.max(0, (from.getTime() - startAt.getTime()) / 1000),
    aired: parts && [...parts],
  }));
}

function refuse(parameter: string, detail: string): ProblemError {
  return new ProblemError('validation_failed', detail, {
    errors: [{ path: `/query/${parameter}`, code: 'validation_failed', detail }],
  });
}
