// SQL of which uploads have been asked for in which formats: what counts as prepared media of their users.
import { stillSeconds } from '../../domain/playout/rendition.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** An upload in a format. */
export interface UploadInFormat {
  readonly uploadID: string;
  /** The name of the format, as formatName of domain/playout/rendition.ts makes it. */
  readonly format: string;
  /** How many seconds of 720p30 a second in this format counts as. */
  readonly slots: number;
  /** How many seconds of it at most are prepared in this format; null: all. */
  readonly mostSeconds: number | null;
}

/** SQL of uploads in formats that are not noted yet, and can be: what nobody has examined has no length. */
const unnoted = `
  select u.id as upload_id, w.format, u.user_id,
    ceil(least(coalesce(u.duration_seconds, ${stillSeconds}), w.most_seconds) * w.slots)::bigint as seconds
  from (select distinct * from unnest($1::text[], $2::text[], $3::float8[], $4::float8[]))
      as w (upload_id, format, slots, most_seconds)
    join uploads u on u.id = w.upload_id and u.probe_state = 'completed'
  where not exists (select from prepared_uploads p where p.upload_id = w.upload_id and p.format = w.format)`;

const parameters = (wanted: readonly UploadInFormat[]) => [
  wanted.map(({ uploadID }) => uploadID),
  wanted.map(({ format }) => format),
  wanted.map(({ slots }) => slots),
  wanted.map(({ mostSeconds }) => mostSeconds),
];

export function preparedUploads(db: Queryable) {
  return {
    /** How many seconds those of these uploads would count as that are not noted in their format yet. */
    unrecordedSeconds: async (wanted: readonly UploadInFormat[]) =>
      (await one<{ seconds: number }>(
        db,
        `select coalesce(sum(seconds), 0)::bigint as seconds from (${unnoted}) unnoted`,
        parameters(wanted),
      ))!.seconds,

    /** Notes that they have been asked for. Their rows go with the uploads. */
    record: (wanted: readonly UploadInFormat[]) =>
      db.query(
        `insert into prepared_uploads (upload_id, format, user_id, seconds) ${unnoted} order by 1, 2
         on conflict (upload_id, format) do nothing`,
        parameters(wanted),
      ),

    /** The ids of those of these uploads that are noted in a format. */
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
