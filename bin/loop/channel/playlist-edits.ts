// The operations that turn the items of a playlist into others.
// Items that stay keep their ids, so that a live stream continues after the item that plays.
import { isDeepStrictEqual } from 'node:util';

export interface ListedItem {
  readonly uploadID: string;
  readonly sound: unknown;
  readonly look: unknown;
}

export interface WantedItem extends ListedItem {
  /** The fields as the file has them, for a request. */
  readonly given: { readonly sound?: unknown; readonly look?: unknown };
}

export type PlaylistEdit = Readonly<Record<string, unknown>> & { readonly op: string };

export function playlistEdits(
  listed: readonly (ListedItem & { readonly id: string })[],
  wanted: readonly WantedItem[],
  newItemID: (index: number) => string,
): PlaylistEdit[] {
  const free = new Map<string, (ListedItem & { id: string })[]>();
  for (const item of listed) free.set(item.uploadID, [...(free.get(item.uploadID) ?? []), item]);
  const matched = wanted.map(({ uploadID }) => free.get(uploadID)?.shift());
  const kept = new Set(matched.flatMap((item) => (item ? [item.id] : [])));
  const edits: PlaylistEdit[] = listed
    .filter(({ id }) => !kept.has(id))
    .map(({ id }) => ({ op: 'remove', itemID: id }));
  const order = listed.map(({ id }) => id).filter((id) => kept.has(id));
  for (const [index, { uploadID, sound, look, given }] of wanted.entries()) {
    const before = matched[index];
    const itemID = before?.id ?? newItemID(index);
    if (!before) edits.push({ op: 'add', uploadID, index, itemID });
    else if (order[index] !== itemID) {
      edits.push({ op: 'move', itemID, index });
      order.splice(order.indexOf(itemID), 1);
    }
    if (order[index] !== itemID) order.splice(index, 0, itemID);
    const isSame = isDeepStrictEqual([before?.sound ?? null, before?.look ?? null], [sound, look]);
    if (!isSame) edits.push({ op: 'set', itemID, sound: given.sound ?? null, look: given.look ?? null });
  }
  return edits;
}
