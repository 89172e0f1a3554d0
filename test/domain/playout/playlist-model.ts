// Playlist operations on a plain list: the model for comparison with edits.
import { maxPlaylistItems } from '../../../lambda/domain/playout/playlist-edits.ts';
import type { PlaylistItem, PlaylistOperation } from '../../../lambda/domain/playout/playlist-edits.ts';

/** Applies one operation to the list; false if it does not fit. */
export function applyToList(
  list: { mode: string; items: PlaylistItem[] },
  operation: PlaylistOperation,
  newItemID: () => string,
): boolean {
  const at = 'itemID' in operation ? list.items.findIndex((item) => item.id === operation.itemID) : -1;
  switch (operation.op) {
    case 'add': {
      const index = operation.index ?? list.items.length;
      const fits = at < 0 && index <= list.items.length && list.items.length < maxPlaylistItems;
      if (fits) list.items.splice(index, 0, { id: operation.itemID ?? newItemID(), uploadID: operation.uploadID });
      return fits;
    }
    case 'remove':
      if (at >= 0) list.items.splice(at, 1);
      return at >= 0;
    case 'move': {
      const fits = at >= 0 && operation.index < list.items.length;
      if (fits) list.items.splice(operation.index, 0, ...list.items.splice(at, 1));
      return fits;
    }
    case 'replace':
      if (at >= 0) list.items[at] = { ...list.items[at]!, uploadID: operation.uploadID };
      return at >= 0;
    case 'set': {
      if (at < 0) return false;
      const { id, uploadID, ...before } = list.items[at]!;
      const { sound = { loudness: before.sound?.loudness, join: before.join }, look = before.look } = operation;
      const { loudness, join } = sound ?? {};
      const own = { ...(loudness && { sound: { loudness } }), ...(join && { join }), ...(look && { look }) };
      list.items[at] = { id, uploadID, ...own };
      return true;
    }
    case 'setMode':
      list.mode = operation.mode;
      return true;
    case 'clear':
      list.items = [];
      return true;
  }
}
