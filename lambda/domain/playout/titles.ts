// The titles of an upload for viewers: title, artist and album, from the tags of its file or from its user.
import { oneLine } from '../shared/one-line.ts';

export const titleFields = ['title', 'artist', 'album'] as const;

/** Unknown fields are absent. */
export type Titles = { readonly [Field in (typeof titleFields)[number]]?: string };

/** The tags of a file. */
export interface FileTags extends Titles {
  /** The index of the artwork among all streams of the file; absent: it has no artwork. */
  readonly artworkStream?: number;
}

/** Length in characters. Viewers cannot read more while a title is shown. */
export const longestTitle = 200;

/** A text of a file in displayable form: one line, of limited length; null if nothing is left. */
export function shownTitle(text: string): string | null {
  const shown = oneLine(text).normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
  const characters = Array.from(shown);
  return shown === '' ? null : characters.slice(0, longestTitle).join('').trim();
}

/** One line for viewers: `Artist – Title`. */
export function titleLine({ title, artist }: { readonly title: string; readonly artist: string | null }): string {
  return artist === null ? title : `${artist} – ${title}`;
}
