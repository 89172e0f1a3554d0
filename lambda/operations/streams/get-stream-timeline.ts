// GET /streams/{id}/timeline: the items of a stream and their times: past, current and future.
import * as z from 'zod';
import type { PlayedUpload } from '../../data/playout/runs.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { isSessionID } from '../../domain/live/session-ids.ts';
import type { AiredPart } from '../../domain/playout/aired.ts';
import { longestOrderText } from '../../domain/playout/item-order.ts';
import { nameOfItem, titlesOfItem } from '../../domain/playout/item-title.ts';
import { rowKindOf } from '../../domain/playout/play-out.ts';
import { onAirRows, TooManyRows } from '../../orchestration/playout/on-air-rows.ts';
import type { OnAirRow } from '../../orchestration/playout/on-air-rows.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { id, invalidCursor, orNotFound, pageOf, pageQuery, text, timestampInput } from '../fields.ts';
import { operation } from '../operation.ts';
import { csvOf } from './timeline-csv.ts';
import { timelineRow } from './timeline-row.ts';
import type { aired } from './timeline-row.ts';

const longestDays = 31;
const longestMs = longestDays * 86_400_000;
/** The most rows on a page. A client needs about a dozen pages for a month. */
const mostRows = 1000;

export const getStreamTimeline = operation(['service:read'], {
  summary: 'Get the timeline of a stream',
  description:
    'Returns the items of a stream with their times, accurate to the frame: the current item, the next ones, or ' +
    'any range of at most 31 days. `aired` lists the parts that destinations acknowledged. The order of a ' +
    'shuffled playlist is known once the stream is live.',
  tag: 'streams',
  route: 'GET /streams/{id}/timeline',
  query: {
    from: timestampInput.optional().describe('Start of the range. Default: now.'),
    to: timestampInput.optional().describe('End of the range. Default: 31 days after from.'),
    track: z
      .enum(['video', 'audio'])
      .optional()
      .describe('Playlist kind to show. Default: audio if songs play over one picture, otherwise video.'),
    draft: z.boolean().default(false).describe('true: the timeline as if all drafts were published now.'),
    playlistID: id.optional().describe('With draft: only the draft of this playlist.'),
    orderReference: text(1, longestOrderText)
      .optional()
      .describe('Only rows of this order. The signed proof of a day names orders too.'),
    limit: z
      .int()
      .min(1)
      .max(mostRows)
      .default(20)
      .describe('Most rows on the page. Many planned runs make it shorter.'),
    cursor: pageQuery.cursor,
  },
  output: { status: 200, body: pageOf(timelineRow).meta({ id: 'TimelinePage' }), csv: csvOf },
  async handle(ctx, { params, query }) {
    const now = await ctx.data.now();
    const from = query.from ?? now;
    const to = query.to ?? new Date(from.getTime() + longestMs);
    if (from >= to) throw fieldProblem('query/from', 'from must be before to.');
    if (to.getTime() - from.getTime() > longestMs)
      throw fieldProblem('query/to', `The range may have at most ${longestDays} days.`);
    const stream = orNotFound(await ctx.data.streams.find(ctx.caller.userID, params.id), 'stream');
    const { draft, playlistID, track = null, orderReference = null, limit, cursor } = query;
    const drafts = !draft ? null : playlistID === undefined ? 'all' : { playlistID };
    const listID = `timeline of ${stream.id} ${track} ${draft} ${playlistID} ${JSON.stringify(orderReference)}`;
    const place = cursor === undefined ? null : openPlace(ctx, listID, cursor);
    // All pages show the same plan: otherwise the plan of a stream that is not live would start again with each page.
    const beginsAt = place?.beginsAt ?? (from > now ? from : now);
    const { rows, endsAt } = await onAirRows(ctx.data, stream, {
      from: place?.after ?? from,
      to,
      count: limit + 1,
      track,
      drafts,
      orderReference,
      beginsAt,
      now,
    }).catch(refuseTooMany);

    // A page is shorter if the runs until its end take too much work: the next one continues there.
    const after = rows[limit]?.startAt ?? endsAt;
    const data = await presentRows(ctx, stream, rows.slice(0, limit), place === null ? from : null);
    const nextCursor = after ? sealPlace(ctx, listID, { beginsAt, after }) : '';
    return { data, page: { hasMore: after !== null, nextCursor } };
  },
});

/** @throws {ProblemError} validation_failed */
function refuseTooMany(error: unknown): never {
  if (!(error instanceof TooManyRows)) throw error;
  throw fieldProblem('query/to', 'The range has too many rows to search for those of an order. Use a shorter one.');
}

/** The start of the next page. */
interface Place {
  readonly beginsAt: Date;
  readonly after: Date;
}

/** Joins two cursors: the second one belongs to the plan that the first one names. */
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

type LiveUploadOf = (sessionID: string, fromFrame: number) => string | null;

/** The uploads that the sessions of some rows became. Rows without sessions cost no statement. */
async function liveUploadsOf(ctx: Pick<Context, 'data'>, rows: readonly OnAirRow[]): Promise<LiveUploadOf> {
  const standIns = new Set(rows.flatMap(({ aired: parts }) => parts?.map(({ standInID }) => standInID) ?? []));
  const sessionIDs = [...standIns].filter((standIn) => standIn !== null && isSessionID(standIn)) as string[];
  const recorded = sessionIDs.length === 0 ? [] : await ctx.data.liveRecordings.readyOf(sessionIDs);
  return (sessionID, fromFrame) =>
    recorded.findLast((one) => one.session_id === sessionID && one.from_frame <= fromFrame)?.upload_id ?? null;
}

function presentAired(
  { standInID, ...part }: AiredPart,
  { occurrence, framesPerSecond }: OnAirRow,
  liveUploadOf: LiveUploadOf,
): z.input<typeof aired> {
  if (standInID === null || !isSessionID(standInID))
    return { ...part, standInUploadID: standInID, liveSessionID: null, liveUploadID: null };
  const fromFrame = occurrence.startFrame + Math.round(part.fromSeconds * framesPerSecond);
  return {
    ...part,
    standInUploadID: null,
    liveSessionID: standInID,
    liveUploadID: liveUploadOf(standInID, fromFrame),
  };
}

/**
 * Presents rows of the timeline.
 * @param from the start of the requested range; null: the page is not the first one
 */
async function presentRows(
  ctx: Pick<Context, 'data'>,
  stream: Stream,
  rows: readonly OnAirRow[],
  from: Date | null,
): Promise<z.input<typeof timelineRow>[]> {
  const uploadIDs = [...new Set(rows.map(({ occurrence }) => occurrence.item.uploadID))];
  const uploads = await ctx.data.runs.uploadFacts(stream.user_id, uploadIDs);
  const liveUploadOf = await liveUploadsOf(ctx, rows);
  return rows.map((row) => presentRow(row, { uploads, from, liveUploadOf }));
}

interface ForRows {
  readonly uploads: ReadonlyMap<string, PlayedUpload>;
  readonly from: Date | null;
  readonly liveUploadOf: LiveUploadOf;
}

function presentRow(row: OnAirRow, { uploads, from, liveUploadOf }: ForRows): z.input<typeof timelineRow> {
  const { startAt, endAt, aired: parts } = row;
  const { item, playlistID, planned, part } = row.occurrence;
  return {
    startAt,
    endAt,
    playlistID,
    itemID: item.itemID,
    uploadID: item.uploadID,
    name: nameOfItem(item, uploads.get(item.uploadID)?.name, parts !== null),
    ...titlesOfItem(item, uploads.get(item.uploadID)),
    kind: rowKindOf(row.occurrence),
    blockID: planned?.blockID ?? null,
    stepID: planned?.stepID ?? null,
    insertID: planned?.insertID ?? null,
    orderReference: item.order?.reference ?? null,
    advertiser: item.order?.advertiser ?? null,
    fromSeconds: part?.fromSeconds ?? 0,
    positionSeconds:
      (part?.fromSeconds ?? 0) + (from === null ? 0 : Math.max(0, (from.getTime() - startAt.getTime()) / 1000)),
    aired: parts && parts.map((each) => presentAired(each, row, liveUploadOf)),
  };
}
