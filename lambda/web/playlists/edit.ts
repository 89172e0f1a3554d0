// One edit of a draft, as the API takes it, and its effect on the draft on the screen.
import type { PlaylistMode } from '../../domain/playout/play-out.ts';
import type { Playlist } from '../app/types.ts';

export type Edit =
  | { readonly op: 'add'; readonly uploadID: string }
  | { readonly op: 'remove'; readonly itemID: string }
  | { readonly op: 'move'; readonly itemID: string; readonly index: number }
  | { readonly op: 'set'; readonly itemID: string; readonly sound: object | null; readonly look: object | null }
  | { readonly op: 'setMode'; readonly mode: PlaylistMode };

/** The playlist after the edit, shown before the API answers. New items and settings of items come with the answer. */
export function edited(playlist: Playlist, edit: Edit): Playlist {
  const { draft } = playlist;
  if (edit.op === 'add' || edit.op === 'set') return playlist;
  if (edit.op === 'setMode') return { ...playlist, mode: edit.mode, draft: { ...draft, mode: edit.mode } };
  const at = draft.items.findIndex(({ id }) => id === edit.itemID);
  if (at === -1) return playlist;
  const item = draft.items[at]!;
  const others = draft.items.toSpliced(at, 1);
  if (edit.op === 'move') return { ...playlist, draft: { ...draft, items: others.toSpliced(edit.index, 0, item) } };
  const durationSeconds = draft.durationSeconds - (item.durationSeconds ?? 0);
  return { ...playlist, draft: { ...draft, items: others, durationSeconds } };
}
