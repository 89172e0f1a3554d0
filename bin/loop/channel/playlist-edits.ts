// The operations that turn the items of a playlist into others.
// Items that stay keep their ids, so that a live stream continues after the item that plays.
import { isDeepStrictEqual } from 'node:util';
import { itemEntry, shownItem } from './shown-settings.ts';
import type { ItemEntry } from './shown-settings.ts';

type PlaylistEdit = Readonly<Record<string, unknown>> & { readonly op: string };

/**
 * @param listed the items of the playlist
 * @param wanted the items of the file
 * @param newItemID makes the id of an item that is added
 */
export function playlistEdits(
  listed: readonly (ItemEntry & { readonly id: string })[],
  wanted: readonly ItemEntry[],
  newItemID: () => string,
): PlaylistEdit[] {
  const free = Map.groupBy(listed, ({ uploadID }) => uploadID);
  const matched = wanted.map(({ uploadID }) => free.get(uploadID)?.shift());
  const kept = new Set(matched.map((item) => item?.id));
  const gone = listed.filter(({ id }) => !kept.has(id));
  const edits: PlaylistEdit[] = gone.map(({ id }) => ({ op: 'remove', itemID: id }));
  const order = listed.map(({ id }) => id).filter((id) => kept.has(id));
  for (const [index, item] of wanted.entries()) {
    const { uploadID, sound = null, look = null } = item;
    const before = matched[index];
    const itemID = before?.id ?? newItemID();
    if (!before) edits.push({ op: 'add', uploadID, index, itemID });
    else if (order[index] !== itemID) {
      edits.push({ op: 'move', itemID, index });
      order.splice(order.indexOf(itemID), 1);
    }
    if (order[index] !== itemID) order.splice(index, 0, itemID);
    if (!isDeepStrictEqual(itemEntry(before ?? { uploadID }), shownItem(item)))
      edits.push({ op: 'set', itemID, sound, look });
  }
  return edits;
}
