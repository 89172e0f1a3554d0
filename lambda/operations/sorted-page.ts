// Pages of lists that are sorted by something that may change, such as a name.
import type { SortPosition } from '../data/media/upload-lists.ts';
import type { Context } from './context.ts';
import { invalidCursor } from './fields.ts';

/**
 * Answers one page. Its cursor has the sort key of its last row in it, so that a list goes on from there whatever
 * becomes of that row; a row whose key changes between two pages may be missed or come twice.
 * @param listID tells the cursors of one list from those of another; it contains the filters and the order
 */
export async function pageThroughSorted<Row extends { readonly seq: number; readonly sort_key: SortPosition['key'] }>(
  ctx: Context,
  listID: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  load: (after: SortPosition | null, count: number) => Promise<Row[]>,
): Promise<{ data: Row[]; page: { hasMore: boolean; nextCursor: string } }> {
  const after = cursor === undefined ? null : open(ctx, listID, cursor);
  const rows = await load(after, limit + 1);
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1)! : null;
  return { data, page: { hasMore: last !== null, nextCursor: last ? seal(ctx, listID, last) : '' } };
}

/** A list that is sorted by `seq` has the cursors of all other lists. */
function seal(ctx: Context, listID: string, { seq, sort_key: key }: { seq: number; sort_key: SortPosition['key'] }) {
  if (key === null) return ctx.cursors.seal(listID, seq);
  const text = Buffer.from(JSON.stringify(key)).toString('base64url');
  return `${ctx.cursors.seal(`${listID} after ${text}`, seq)}.${text}`;
}

/** @throws {ProblemError} invalid_cursor */
function open(ctx: Context, listID: string, cursor: string): SortPosition {
  const [sealed, text, ...rest] = cursor.split('.');
  const seq = ctx.cursors.open(text === undefined ? listID : `${listID} after ${text}`, sealed!);
  if (seq === null || rest.length > 0) throw invalidCursor();
  if (text === undefined) return { seq, key: null };
  return { seq, key: JSON.parse(Buffer.from(text, 'base64url').toString()) as string | number };
}
