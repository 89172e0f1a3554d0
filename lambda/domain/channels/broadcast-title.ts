// Templates of titles and descriptions of broadcasts, and the limits of platforms for them.
import type { PlaylistKind } from '../playout/playlist-words.ts';

/**
 * Names in a template. `item`: the current item of `titlePlaylistOf`; `date`: the day in the settings' zone; `n`: the
 * broadcast's number.
 */
export const templateNames = ['item', 'date', 'n'] as const;
export type TemplateName = (typeof templateNames)[number];

/**
 * The playlist whose items titles name: songs, if any play, for the pictures are then their background. Absent: titles
 * name the single video.
 */
export function titlePlaylistOf<Playlist extends { readonly kind: PlaylistKind }>(
  playlists: readonly (Playlist | null)[],
): Playlist | undefined {
  const ofKind = (kind: PlaylistKind) => playlists.find((playlist) => playlist?.kind === kind) ?? undefined;
  return ofKind('audio') ?? ofKind('video');
}

/** Names in a template that do not exist. A brace without a partner is text. */
export function unknownNames(template: string): string[] {
  const named = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!);
  return named.filter((name) => !templateNames.includes(name as TemplateName));
}

/**
 * Fills a template in, drops the characters that platforms refuse (`<`, `>` and control characters), and cuts the text
 * by whole graphemes.
 * @param fallback text to use if nothing remains
 * @param maxLength in UTF-16 units, as platforms count
 */
export function renderTemplate(
  template: string,
  values: Readonly<Record<TemplateName, string>>,
  { maxLength, fallback }: { readonly maxLength: number; readonly fallback: string },
): string {
  const filled = template.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) =>
    templateNames.includes(name as TemplateName) ? values[name as TemplateName] : whole,
  );
  return cut(clean(filled), maxLength) || cut(clean(fallback), maxLength);
}

/** Longest possible title of a template, in UTF-16 units, before it is cut. @param items names of the items */
export function longestTitle(template: string, items: readonly string[]): number {
  const lengths = (items.length > 0 ? items : ['']).map((item) => {
    const values = { item, date: '2000-01-01', n: '1' };
    return renderTemplate(template, values, { maxLength: Infinity, fallback: '' }).length;
  });
  return Math.max(...lengths);
}

function clean(text: string): string {
  return text
    .replaceAll(/[<>\p{Cc}]/gu, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
}

function cut(text: string, maxLength: number): string {
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (kept.length + segment.length > maxLength) break;
    kept += segment;
  }
  return kept.trimEnd();
}
