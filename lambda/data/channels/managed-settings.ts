// SQL of managed settings: title, privacy, latency and recording of broadcasts on a connected channel.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** The columns that requests set. */
export interface ManagedSettingsFields {
  readonly connection_id: string;
  readonly name: string;
  readonly title_template: string;
  readonly description_template: string;
  readonly time_zone: string;
  readonly privacy: 'public' | 'unlisted' | 'private';
  readonly category_id: string | null;
  readonly tags: readonly string[];
  readonly made_for_kids: boolean;
  readonly latency: 'normal' | 'low' | 'ultraLow';
  readonly dvr: boolean;
  readonly rotate_after_minutes: number | null;
  readonly thumbnail_upload_id: string | null;
}

export interface ManagedSettings extends ManagedSettingsFields {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly created_at: Date;
}

/** The columns in the order of `valuesOf`. */
const columns = [
  'connection_id',
  'name',
  'title_template',
  'description_template',
  'time_zone',
  'privacy',
  'category_id',
  'tags',
  'made_for_kids',
  'latency',
  'dvr',
  'rotate_after_minutes',
  'thumbnail_upload_id',
] as const satisfies readonly (keyof ManagedSettingsFields)[];

const valuesOf = (fields: ManagedSettingsFields) => columns.map((column) => fields[column]);
const places = columns.map((_, index) => `$${index + 3}`).join(', ');

export function managedSettings(db: Queryable) {
  return {
    insert: async (id: string, userID: string, fields: ManagedSettingsFields) =>
      (await one<ManagedSettings>(
        db,
        `insert into managed_settings (id, user_id, ${columns.join(', ')}) values ($1, $2, ${places}) returning *`,
        [id, userID, ...valuesOf(fields)],
      ))!,

    find: (userID: string, id: string) =>
      one<ManagedSettings>(db, 'select * from managed_settings where id = $1 and user_id = $2', [id, userID]),

    lock: (userID: string, id: string) =>
      one<ManagedSettings>(db, 'select * from managed_settings where id = $1 and user_id = $2 for update', [
        id,
        userID,
      ]),

    list: (userID: string, before: number | null, count: number) =>
      all<ManagedSettings>(
        db,
        `select * from managed_settings
         where user_id = $1 and ($2::bigint is null or seq < $2) order by seq desc limit $3`,
        [userID, before, count],
      ),

    save: async (id: string, userID: string, fields: ManagedSettingsFields) =>
      (await one<ManagedSettings>(
        db,
        `update managed_settings set (${columns.join(', ')}) = (${places}) where id = $1 and user_id = $2 returning *`,
        [id, userID, ...valuesOf(fields)],
      ))!,

    /** Whether a live stream uses the settings. */
    isInUse: async (id: string) =>
      (await one<{ used: boolean }>(
        db,
        `select exists (
           select from streams where managed_settings_id = $1 and stream_destination = 'managed' and deleted_at is null
             and state in ('preparing', 'activating', 'active', 'failing', 'stopping')) as used`,
        [id],
      ))!.used,

    delete: (id: string) => db.query('delete from managed_settings where id = $1', [id]),
  };
}
