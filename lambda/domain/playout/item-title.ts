// What an item is called.
import type { TimelineItem } from './play-out.ts';
import { titleLine } from './titles.ts';
import type { Titles } from './titles.ts';

/** For viewers: the name of its upload without the end of a file's name. */
export function titleOfUpload(name: string): string {
  return name.replace(/\.\w{2,4}$/, '');
}

/**
 * Of what has begun, the name that its upload had when it was put on the air, else the one that it has; of what is to
 * come the other way round. Null: neither is known.
 */
export function nameOfItem(item: Pick<TimelineItem, 'name'>, present: string | undefined, isBegun: boolean) {
  return (isBegun ? (item.name ?? present) : (present ?? item.name)) ?? null;
}

/** What viewers are told of an item; null: nothing. */
export interface ItemTitles {
  readonly title: string | null;
  readonly artist: string | null;
  readonly album: string | null;
}

/** As its upload has them now, so that who mends a title mends it everywhere; of one that is gone, as it had them. */
export function titlesOfItem(
  item: Pick<TimelineItem, 'titles'>,
  present: { readonly titles: Titles } | undefined,
): ItemTitles {
  const { title, artist, album } = present?.titles ?? item.titles ?? {};
  return { title: title ?? null, artist: artist ?? null, album: album ?? null };
}

/** What the titles of broadcasts call an item: one line of its upload. */
export function lineOfUpload(upload: { readonly name: string; readonly titles: Titles }): string {
  const { title, artist } = titlesOfItem({}, upload);
  return titleLine({ title: title ?? titleOfUpload(upload.name), artist });
}
