// How the keys of objects begin: uploads and renditions are in one bucket, and only their keys keep them apart.
// And for how long the store keeps what is not an object yet.
import { abandonedAfterDays } from './upload-times.ts';

/** The keys of renditions begin with this; `segmentKey` of the publisher makes the whole key. */
export const renditionsPrefix = 'renditions/';

/** Of the prepared format. Keys of segments and joins have it, so what another version has written is never read. */
export const segmentFormatVersion = 1;

/** The keys of uploads begin with this. */
export const uploadsPrefix = 'uploads/';

/** The keys of what is shown of live streams begin with this. */
export const previewsPrefix = 'previews/';

/** So many days the store keeps what is shown of a stream, which nobody asks for after minutes. */
export const previewsKeptDays = 1;

/** So many days the store keeps the parts of an upload that nobody completes: longer than anybody may send more. */
export const partsKeptDays = abandonedAfterDays + 1;

/** The key of the object that holds an upload's bytes. */
export function uploadKey(userID: string, uploadID: string): string {
  return `${uploadsPrefix}${userID}/${uploadID}`;
}

/** The key of the object that holds a join, whose groups are numbered as those of the item that has it. */
export function joinKey(name: string): string {
  return `${renditionsPrefix}joins/v${segmentFormatVersion}/${name}`;
}

/**
 * The key of a piece of a preview.
 * @param run the stream and the anchor of its run, with / between
 * @param piece with the extension that players ask for: `.m4s`, or `.mp4` for what comes before all pieces
 */
export function previewKey(run: string, piece: string): string {
  return `${previewsPrefix}${run}/${piece}`;
}
