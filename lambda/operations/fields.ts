// The schemas of fields that many resources share, and of the page that lists answer.
import * as z from 'zod';
import { framerates, qualities, videoCodecs } from '../domain/video-format.ts';
import type { Context } from './context.ts';
import { ProblemError } from './problem-codes.ts';

/** A short text that a person wrote. */
export function text(minLength: number, maxLength: number) {
  return z.string().min(minLength).max(maxLength);
}

/** Far above ours. */
export const maxIDLength = 200;

/** Any string is a possible identifier; one that names nothing of the caller's is 404 in a path, and a fault of its field in a body. */
export const id = z.string().min(1).max(maxIDLength);

/** A path parameter: anything at all may be asked for. */
export const pathID = z.string().describe('Identifier of the resource.');

export const quality = z.enum(qualities).meta({ id: 'Quality' });
export const framerate = z.enum(framerates).meta({ id: 'Framerate' });
export const videoCodec = z.enum(videoCodecs).meta({ id: 'VideoCodec' });

/** A time in an answer: ISO 8601, UTC, milliseconds. */
export const timestamp = z
  .date()
  .transform((date) => date.toISOString())
  .pipe(z.iso.datetime());

/** A time in a request: ISO 8601 with Z or an offset. With an offset, years 0000 to 9999 can name a time that in UTC has another year. */
export const timestampInput = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value))
  .pipe(
    z
      .date()
      .refine((date) => date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999, {
        error: 'Use a time in the years 1 to 9999, in UTC.',
      }),
  );

/** Why something failed, in words that a person understands. */
export const failure = z.object({ code: z.string(), detail: z.string() }).meta({ id: 'Failure' });

export const pageQuery = {
  limit: z.int().min(1).max(100).default(20).describe('Rows per page, 1 to 100.'),
  cursor: z.string().optional().describe("The previous page's nextCursor."),
};

/** The page object that every list answers. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    page: z.object({ hasMore: z.boolean(), nextCursor: z.string().describe('Empty when hasMore is false.') }),
  });
}

interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * Answers one page, newest first. Rows are ordered by a sequence number that never changes, so rows that come and go neither repeat nor
 * hide others.
 * @param listID tells one list's cursors from another's, filters included
 * @param load reads at most `count` rows with a `seq` below `before`
 * @param isTooMuch asked of one row after the other, whether a page that has something already is to end before it
 */
export async function pageThrough<Row extends { readonly seq: number }, Item>(
  ctx: Context,
  listID: string,
  { limit, cursor }: PageRequest,
  load: (before: number | null, count: number) => Promise<Row[]>,
  present: (row: Row) => Item,
  isTooMuch: (row: Row) => boolean = () => false,
): Promise<{ data: Item[]; page: { hasMore: boolean; nextCursor: string } }> {
  const before = cursor === undefined ? null : ctx.cursors.open(listID, cursor);
  if (cursor !== undefined && before === null) {
    throw new ProblemError('invalid_cursor', 'The cursor is not one that this list gave out.', {
      errors: [
        {
          path: '/query/cursor',
          code: 'invalid_cursor',
          detail: 'Take it unchanged from nextCursor of the page before.',
        },
      ],
    });
  }
  const rows = await load(before, limit + 1);
  const end = rows.findIndex((row, index) => index === limit || (isTooMuch(row) && index > 0));
  const hasMore = end !== -1;
  const shown = hasMore ? rows.slice(0, end) : rows;
  return {
    data: shown.map(present),
    page: { hasMore, nextCursor: hasMore ? ctx.cursors.seal(listID, shown.at(-1)!.seq) : '' },
  };
}

/** The resource, or 404: also when it belongs to someone else. */
export function orNotFound<Row>(row: Row | null, what: string): Row {
  if (row === null) throw new ProblemError('not_found', `There is no such ${what}.`);
  return row;
}
