// The name and titles of an item.
import type { TimelineItem } from './play-out.ts';
import { titleLine } from './titles.ts';
import type { Titles } from './titles.ts';

/** The name of an upload without its file extension, for viewers. */
export function titleOfUpload(name: string): string {
  return name.replace(/\.\w{2,4}$/, '');
}

/**
 * The name of an item's upload. An item that has begun has the name from when it started to air. An upcoming item has
 * the current name, or the name in its snapshot if the upload is deleted.
 */
export function nameOfItem(item: Pick<TimelineItem, 'name'>, present: string | undefined, isBegun: boolean) {
  return isBegun ? item.name : (present ?? item.name);
}

/**
 * The titles of an item for viewers; null: not known. They are the upload's current ones, so that corrections apply
 * everywhere; of a deleted upload, its last known titles.
 */
export function titlesOfItem(item: Pick<TimelineItem, 'titles'>, present: { readonly titles: Titles } | undefined) {
  const { title, artist, album } = present?.titles ?? item.titles ?? {};
  return { title: title ?? null, artist: artist ?? null, album: album ?? null };
}

/** The item as a line in titles of broadcasts, from the titles of its upload. */
export function lineOfUpload(upload: { readonly name: string; readonly titles: Titles }): string {
  const { title, artist } = titlesOfItem({}, upload);
  return titleLine({ title: title ?? titleOfUpload(upload.name), artist });
}
