// What viewers are told of an upload: its title, artist and album, from the tags of its file or as its user says.

export const titleFields = ['title', 'artist', 'album'] as const;

/** What is not there is absent. */
export type Titles = { readonly [Field in (typeof titleFields)[number]]?: string };

/** What a file says of itself. */
export interface FileTags extends Titles {
  /** The number of the stream that is its artwork, among all of its streams; absent where it has none. */
  readonly artworkStream?: number;
}

/** In characters. Nobody reads more of a title while it is shown. */
export const longestTitle = 200;

/** Control characters, and those that turn the direction of what follows the text. */
const unshown = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** A text of a file as it can be shown: on one line, and not too long; null where nothing is left. */
export function shownTitle(text: string): string | null {
  const shown = text.toWellFormed().normalize('NFC').replaceAll(unshown, ' ').replaceAll(/\s+/gu, ' ').trim();
  const characters = Array.from(shown);
  return shown === '' ? null : characters.slice(0, longestTitle).join('').trim();
}

/** One line for viewers: `Artist – Title`. */
export function titleLine({ title, artist }: { readonly title: string; readonly artist: string | null }): string {
  return artist === null ? title : `${artist} – ${title}`;
}
