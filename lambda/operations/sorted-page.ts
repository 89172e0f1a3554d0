// Pages of lists that are sorted by a key that may change, such as a name.
import type { SortPosition } from '../data/media/upload-lists.ts';
import type { Context } from './context.ts';
import { invalidCursor } from './fields.ts';

type Sort<Key extends string> = Key | `-${Key}`;

/** The values of the parameter `sort` for the keys of a list. */
export function sortsOf<Key extends string>(keys: readonly Key[]): Sort<Key>[] {
  return keys.flatMap((key) => [key, `-${key}` as const]);
}

export function orderOf<Key extends string>(sort: Sort<Key>): { by: Key; descending: boolean } {
  const descending = sort.startsWith('-');
  return { by: (descending ? sort.slice(1) : sort) as Key, descending };
}

/**
 * Reads one page. The cursor contains the sort key of the last row, so the list continues from there even if that row
 * changes or is deleted. A row whose key changes between two pages may be missed or appear twice.
 * @param listID distinguishes the cursors of different lists; it contains the filters and the order
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

/** The cursor after a row. Lists sorted by `seq` have the same form of cursor as unsorted lists. */
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
