// GET /streams/{id}/timeline: what a stream plays now and next, and what it played or will play at any other time.
import * as z from 'zod';
import type { Stream } from '../../data/streams/streams.ts';
import { nameOfItem, titlesOfItem } from '../../domain/playout/item-title.ts';
import { onAirRows } from '../../orchestration/playout/on-air-rows.ts';
import type { OnAirRow } from '../../orchestration/playout/on-air-rows.ts';
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
    const place = cursor === undefined ? null : openPlace(ctx, listID, cursor);
    // All pages show one plan: else that of a stream which is not live would begin anew with each.
    const beginsAt = place?.beginsAt ?? (from > now ? from : now);
    const found = await onAirRows(ctx.data, stream, {
      from: place?.after ?? from,
      to,
      count: limit + 1,
      track,
      drafts,
      beginsAt,
      now,
    });
    const next = found[limit];
    const data = await presentRows(ctx, stream, found.slice(0, limit), place === null ? from : null);
    const nextCursor = next ? sealPlace(ctx, listID, { beginsAt, after: next.startAt }) : '';
    return { data, page: { hasMore: next !== undefined, nextCursor } };
  },
});

/** Where the next page begins. */
interface Place {
  readonly beginsAt: Date;
  readonly after: Date;
}

/** Two cursors, of which the second is for the plan that the first names. */
function sealPlace({ cursors }: Context, listID: string, { beginsAt, after }: Place): string {
  const beginsAtMs = beginsAt.getTime();
  return `${cursors.seal(listID, beginsAtMs)}.${cursors.seal(`${listID} ${beginsAtMs}`, after.getTime())}`;
}

function openPlace({ cursors }: Context, listID: string, cursor: string): Place {
  const [plan = '', page = ''] = cursor.split('.');
  const beginsAtMs = cursors.open(listID, plan);
  const afterMs = beginsAtMs === null ? null : cursors.open(`${listID} ${beginsAtMs}`, page);
  if (beginsAtMs === null || afterMs === null) throw invalidCursor();
  return { beginsAt: new Date(beginsAtMs), after: new Date(afterMs) };
}

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
    name: nameOfItem(item, uploads.get(item.uploadID)?.name, parts !== null),
    ...titlesOfItem(item, uploads.get(item.uploadID)),
    positionSeconds: from === null ? 0 : Math.max(0, (from.getTime() - startAt.getTime()) / 1000),
    aired: parts && [...parts],
  }));
}

function refuse(parameter: string, detail: string): ProblemError {
  return new ProblemError('validation_failed', detail, {
    errors: [{ path: `/query/${parameter}`, code: 'validation_failed', detail }],
  });
}
