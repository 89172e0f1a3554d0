// Schemas of fields that many resources share, and of the pages that lists return.
import * as z from 'zod';
import { framerates, qualities, videoCodecs } from '../domain/shared/video-format.ts';
import type { Context } from './context.ts';
import { ProblemError } from './problem-codes.ts';

/** A short text written by a person. */
export function text(minLength: number, maxLength: number) {
  return z.string().min(minLength).max(maxLength);
}

/** The longest identifier in a request, in characters. Identifiers of this platform are much shorter. */
export const maxIDLength = 200;

/**
 * An identifier in a body or a query. Any string is valid: an unknown identifier is a fault of its field in a body, and
 * 404 in a path.
 */
export const id = z.string().min(1).max(maxIDLength);

/** An identifier in a path, without a maximum length. */
export const pathID = z.string();

/** A time of day in a request and an answer. */
export const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: 'Use HH:mm, such as 20:00.' });

export const quality = z.enum(qualities).meta({ id: 'Quality' });
export const framerate = z.enum(framerates).meta({ id: 'Framerate' });
export const videoCodec = z.enum(videoCodecs).meta({ id: 'VideoCodec' });

/** A time in an answer: ISO 8601 in UTC, with milliseconds. */
export const timestamp = z
  .date()
  .transform((date) => date.toISOString())
  .pipe(z.iso.datetime());

/**
 * A time in a request: ISO 8601 with Z or an offset. The year is checked in UTC, because an offset can move a time into
 * another year.
 */
export const timestampInput = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value))
  .pipe(
    z.date().refine((date) => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999, {
      error: 'Use a time in the years 1 to 9999, in UTC.',
    }),
  );

/** The reason of a failure: a stable code, and a detail for people. */
export const failure = z.object({ code: z.string(), detail: z.string() }).meta({ id: 'Failure' });

export const pageQuery = {
  limit: z.int().min(1).max(100).default(20).describe('Maximum number of rows on the page, 1 to 100.'),
  cursor: z.string().optional().describe('nextCursor of the previous page. The first page needs none.'),
};

/** The schema of a page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    page: z.object({ hasMore: z.boolean(), nextCursor: z.string() }),
  });
}

interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Ends a page early: before the row that would make the sum of the row sizes larger than `maxSize`. */
interface PageBounds<Row> {
  readonly sizeOf: (row: Row) => number;
  readonly maxSize: number;
}

/**
 * Reads one page of a list, newest first. Rows are ordered by a sequence number that never changes, so rows that are
 * inserted or deleted between two pages are neither repeated nor do they hide other rows.
 * @param listID distinguishes the cursors of different lists; it contains the filters
 * @param load reads at most `count` rows with a `seq` below `before`
 * @param bounds a second limit of the page, in addition to its number of rows
 */
export async function pageThrough<Row extends { readonly seq: number }, Item>(
  ctx: Context,
  listID: string,
  { limit, cursor }: PageRequest,
  present: (row: Row) => Item,
  load: (before: number | null, count: number) => Promise<Row[]>,
  bounds: PageBounds<Row> = { sizeOf: () => 0, maxSize: Infinity },
): Promise<{ data: Item[]; page: { hasMore: boolean; nextCursor: string } }> {
  const before = cursor === undefined ? null : ctx.cursors.open(listID, cursor);
  if (cursor !== undefined && before === null) throw invalidCursor();
  const rows = await load(before, limit + 1);
  const shown = rows.slice(0, endOfPage(rows, limit, bounds));
  const hasMore = shown.length < rows.length;
  return {
    data: shown.map(present),
    page: { hasMore, nextCursor: hasMore ? ctx.cursors.seal(listID, shown.at(-1)!.seq) : '' },
  };
}

/**
 * The problem of a cursor that does not belong to the list.
 * @param parameter the query parameter that holds the cursor
 * @param from the field that the client should copy the cursor from
 */
export function invalidCursor(parameter = 'cursor', from = 'nextCursor of the previous page'): ProblemError {
  return new ProblemError('invalid_cursor', 'This list did not issue this cursor.', {
    errors: [
      {
        path: `/query/${parameter}`,
        code: 'invalid_cursor',
        detail: `Copy it unchanged from ${from}.`,
      },
    ],
  });
}

/** The number of rows on the page. The first row is always included, whatever its size. */
function endOfPage<Row>(rows: readonly Row[], limit: number, { sizeOf, maxSize }: PageBounds<Row>): number {
  let size = 0;
  for (const [index, row] of rows.entries()) {
    size += sizeOf(row);
    if (index === limit || (index > 0 && size > maxSize)) return index;
  }
  return rows.length;
}

/**
 * The row itself.
 * @param resource the name of its kind, such as stream
 * @throws {ProblemError} not_found if the row is null: it does not exist or belongs to another user
 */
export function orNotFound<Row>(row: Row | null, resource: string): Row {
  if (row === null) throw new ProblemError('not_found', `There is no such ${resource}.`);
  return row;
}
