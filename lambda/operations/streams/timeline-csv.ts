// The timeline as CSV, with one row for each aired part of an item.
import { csvTable } from '../csv.ts';
import type { TimelineRow } from './timeline-row.ts';

const columns = [
  'startAt',
  'endAt',
  'name',
  'playlistID',
  'itemID',
  'uploadID',
  'outputID',
  'airedFromSeconds',
  'airedToSeconds',
  'standInUploadID',
  'title',
  'artist',
  'album',
  'kind',
  'blockID',
  'insertID',
  'stepID',
  'orderReference',
  'advertiser',
  'fromSeconds',
  'liveSessionID',
  'liveUploadID',
] as const;

/** Formats rows as CSV. An item that was not aired, or lies in the future, has one row without parts. */
export function csvOf({ data }: { readonly data: readonly TimelineRow[] }): string {
  const lines = data.flatMap((row) => {
    const known = [row.startAt, row.endAt, row.name, row.playlistID, row.itemID, row.uploadID];
    const ofProgramme = [row.kind, row.blockID, row.insertID, row.stepID];
    const others = [
      row.title,
      row.artist,
      row.album,
      ...ofProgramme,
      row.orderReference,
      row.advertiser,
      row.fromSeconds,
    ];
    const parts = row.aired ?? [];
    if (parts.length === 0) return [[...known, null, null, null, null, ...others, null, null]];
    return parts.map(({ outputID, fromSeconds, toSeconds, standInUploadID, liveSessionID, liveUploadID }) => {
      const sent = [outputID, fromSeconds, toSeconds, standInUploadID];
      return [...known, ...sent, ...others, liveSessionID, liveUploadID];
    });
  });
  return csvTable([columns, ...lines]);
}
