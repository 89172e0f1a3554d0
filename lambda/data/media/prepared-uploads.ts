// SQL of the uploads that were requested in formats: the prepared media of their users, which has a limit.
import { stillSeconds } from '../../domain/playout/rendition.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** An upload in a format. */
export interface UploadInFormat {
  readonly uploadID: string;
  /** The name of the format, from `formatName` of domain/playout/rendition.ts. */
  readonly format: string;
  /** The seconds of 720p30 that one second in this format counts as, from `slotsOfPreparing`. */
  readonly slots: number;
  /** Whether the pictures of the upload are decoded for it: then a second counts as its decode cost at least. */
  readonly decodesPictures: boolean;
  /** The most seconds that are prepared in this format; null: all. */
  readonly mostSeconds: number | null;
}

/** SQL of uploads in formats that are not recorded yet. Uploads without a probe have no length and are left out. */
const unrecorded = `
  select u.id as upload_id, w.format, u.user_id,
    ceil(least(coalesce(u.duration_seconds, ${stillSeconds}), w.most_seconds)
      * greatest(w.slots, case when w.decodes_pictures then u.decode_cost end))::bigint as seconds
  from (select distinct * from unnest($1::text[], $2::text[], $3::float8[], $4::float8[], $5::boolean[]))
      as w (upload_id, format, slots, most_seconds, decodes_pictures)
    join uploads u on u.id = w.upload_id and u.probe_state = 'completed'
  where not exists (select from prepared_uploads p where p.upload_id = w.upload_id and p.format = w.format)`;

const parameters = (wanted: readonly UploadInFormat[]) => [
  wanted.map(({ uploadID }) => uploadID),
  wanted.map(({ format }) => format),
  wanted.map(({ slots }) => slots),
  wanted.map(({ mostSeconds }) => mostSeconds),
  wanted.map(({ decodesPictures }) => decodesPictures),
];

export function preparedUploads(db: Queryable) {
  return {
    /** The uploads among these that are not recorded, with the seconds of 720p30 that each counts as. */
    unrecorded: (wanted: readonly UploadInFormat[]) =>
      all<{ upload_id: string; format: string; seconds: number }>(db, unrecorded, parameters(wanted)),

    /** Records the request of these uploads. Their rows are deleted with the uploads. */
    record: (wanted: readonly UploadInFormat[]) =>
      db.query(
        `insert into prepared_uploads (upload_id, format, user_id, seconds) ${unrecorded} order by 1, 2
         on conflict (upload_id, format) do nothing`,
        parameters(wanted),
      ),

    /** The ids of the uploads among these that are recorded in a format. */
    recorded: async (uploadIDs: readonly string[], format: string) => {
      const rows = await all<{ upload_id: string }>(
        db,
        'select upload_id from prepared_uploads where upload_id = any ($1) and format = $2',
        [uploadIDs, format],
      );
      return new Set(rows.map((row) => row.upload_id));
    },
  };
}
