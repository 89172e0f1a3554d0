// The schemas of fields that many resources share, and of the page that lists answer.
import * as z from 'zod';
import { framerates, qualities, videoCodecs } from '../domain/shared/video-format.ts';
import type { Context } from './context.ts';
import { ProblemError } from './problem-codes.ts';

/** A short text that a person wrote. */
export function text(minLength: number, maxLength: number) {
  return z.string().min(minLength).max(maxLength);
}

/** Our own identifiers are far shorter. */
export const maxIDLength = 200;

/**
 * Any string may be an identifier. One that names nothing of the caller is a fault
 * of its field in a body, and 404 in a path.
 */
export const id = z.string().min(1).max(maxIDLength);

/** An identifier in a path, which has no maximal length. */
export const pathID = z.string().describe('Its id.');

export const quality = z.enum(qualities).meta({ id: 'Quality' });
export const framerate = z.enum(framerates).meta({ id: 'Framerate' });
export const videoCodec = z.enum(videoCodecs).meta({ id: 'VideoCodec' });

/** A time in an answer: ISO 8601 in UTC, with milliseconds. */
export const timestamp = z
  .date()
  .transform((date) => date.toISOString())
  .pipe(z.iso.datetime());

/**
 * A time in a request: ISO 8601 with Z or an offset. The year is checked in UTC, where an offset may have moved it to
 * another one than it was written with.
 */
export const timestampInput = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value))
  .pipe(
    z.date().refine((date) => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999, {
      error: 'Use a time in the years 1 to 9999, in UTC.',
    }),
  );

/** Why something failed: a code, and a detail for people. */
export const failure = z.object({ code: z.string(), detail: z.string() }).meta({ id: 'Failure' });

export const pageQuery = {
  limit: z.int().min(1).max(100).default(20).describe('Rows per page, 1 to 100.'),
  cursor: z.string().optional().describe('The last nextCursor.'),
};

/** The schema of the page that every list answers. */
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

/** Where a page ends early: before the row with which its rows together would be larger than `maxSize`. */
interface PageBounds<Row> {
  readonly sizeOf: (row: Row) => number;
  readonly maxSize: number;
}

/**
 * Answers one page of a list, newest first. Rows are ordered by a sequence number that never changes, so rows that are
 * inserted or deleted between two pages neither repeat nor hide others.
 * @param listID tells the cursors of one list from those of another; it contains the filters
 * @param load reads at most `count` rows with a `seq` below `before`
 * @param bounds of the page, besides the number of its rows
 */
export async function pageThrough<Row extends { readonly seq: number }, Item>(
  ctx: Context,
  listID: string,
  { limit, cursor }: PageRequest,
  load: (before: number | null, count: number) => Promise<Row[]>,
  present: (row: Row) => Item,
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

/** @param from what the parameter is taken from */
export function invalidCursor(parameter = 'cursor', from = 'nextCursor of the page before'): ProblemError {
  return new ProblemError('invalid_cursor', 'The cursor is not one that this list gave out.', {
    errors: [
      {
        path: `/query/${parameter}`,
        code: 'invalid_cursor',
        detail: `Take it unchanged from ${from}.`,
      },
    ],
  });
}

/** How many of the rows the page has. The first row is always on it, whatever its size. */
function endOfPage<Row>(rows: readonly Row[], limit: number, { sizeOf, maxSize }: PageBounds<Row>): number {
  let size = 0;
  for (const [index, row] of rows.entries()) {
    size += sizeOf(row);
    if (index === limit || (index > 0 && size > maxSize)) return index;
  }
  return rows.length;
}

/** The row, or a 404 where there is none or it belongs to another user. @param what the name of the resource */
export function orNotFound<Row>(row: Row | null, what: string): Row {
  if (row === null) throw new ProblemError('not_found', `There is no such ${what}.`);
  return row;
}
