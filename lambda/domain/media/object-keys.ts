// Prefixes of object keys, which separate uploads and renditions in one bucket, and lifetimes of unfinished objects.
import { abandonedAfterDays } from './upload-times.ts';

/** Prefix of renditions; `segmentKey` of the publisher makes the whole key. */
export const renditionsPrefix = 'renditions/';

/** Version of the prepared format. Keys of segments and joins have it, so objects of other versions are never read. */
export const segmentFormatVersion = 1;

/** Prefix of uploads. */
export const uploadsPrefix = 'uploads/';

/** Prefix of previews of live streams. */
export const previewsPrefix = 'previews/';

/** Prefix of the segments of contributors' sessions. */
export const livePrefix = 'live/';

/** Days that the store keeps them; streams send them within a minute, and recordings are made of them. */
export const liveKeptDays = 1;

/** Objects that the store deletes after some days by itself. Clients need previews for minutes. */
export const expiringObjects = [
  { prefix: previewsPrefix, keptDays: 1 },
  { prefix: livePrefix, keptDays: liveKeptDays },
] as const;

/** Days that the store keeps parts of an unfinished upload: longer than a user may add parts. */
export const partsKeptDays = abandonedAfterDays + 1;

/** Key of an upload's bytes. */
export function uploadKey(userID: string, uploadID: string): string {
  return `${uploadsPrefix}${userID}/${uploadID}`;
}

/** Key of a join, whose groups are numbered as those of its item. */
export function joinKey(name: string): string {
  return `${renditionsPrefix}joins/v${segmentFormatVersion}/${name}`;
}

/** Key of a segment of a session, from 0: its pictures with their sound, or its sound alone. */
export function liveSegmentKey(sessionID: string, part: 'pictures' | 'sound', segment: number): string {
  return `${livePrefix}v${segmentFormatVersion}/${sessionID}/${part}/${segment}`;
}

/** Key of a poster of a session, whose number is that of its window from 0: see domain/playout/posters.ts. */
export function livePosterKey(sessionID: string, number: number): string {
  return `${livePrefix}v${segmentFormatVersion}/${sessionID}/posters/${number}`;
}

/**
 * Key of a piece of a preview.
 * @param run the stream and the anchor of its run, separated by /
 * @param piece name with the extension that players request: `.m4s`, or `.mp4` for the header of all pieces
 */
export function previewKey(run: string, piece: string): string {
  return `${previewsPrefix}${run}/${piece}`;
}
