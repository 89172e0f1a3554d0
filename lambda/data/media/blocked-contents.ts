// SQL of blocked contents, and of the uploads and streams that a block affects.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { UploadFailure } from './uploads.ts';

export interface HeldContent {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly object_key: string;
}

/** SQL of the live streams `s` that play or show one of the uploads $1. */
const playing = `
  from streams s
  where s.state in ('preparing', 'activating', 'active', 'failing') and (
    s.video_upload_id = any ($1) or s.audio_upload_id = any ($1)
    or s.look #>> '{overlays,logo,uploadID}' = any ($1) or s.look #>> '{stinger,uploadID}' = any ($1)
    or exists (
      select from timeline_entries t, jsonb_array_elements(t.snapshot -> 'items') as item
      where t.stream_id = s.id and item ->> 'uploadID' = any ($1)))`;

export function blockedContents(db: Queryable) {
  return {
    find: (bytesHash: string) =>
      one<{ reason: string; blocked_at: Date }>(
        db,
        'select reason, blocked_at from blocked_contents where bytes_hash = $1',
        [bytesHash],
      ),

    /**
     * Locks these bytes until the transaction ends: a block of them and the probe of an upload of them run one after
     * the other.
     */
    lock: (bytesHash: string) => db.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [bytesHash]),

    /** @returns false if it was blocked before */
    block: async (bytesHash: string, reason: string) => {
      const { rowCount } = await db.query(
        'insert into blocked_contents (bytes_hash, reason) values ($1, $2) on conflict (bytes_hash) do nothing',
        [bytesHash, reason],
      );
      return rowCount === 1;
    },

    /** @returns false if it was not blocked */
    unblock: async (bytesHash: string) =>
      (await db.query('delete from blocked_contents where bytes_hash = $1', [bytesHash])).rowCount === 1,

    /**
     * All uploads of these bytes, of any user. The hash of a content begins with the hash of its bytes, which has an
     * index.
     */
    uploadsOf: (bytesHash: string) =>
      all<HeldContent>(
        db,
        `select u.id, u.user_id, a.email, u.name, u.object_key from uploads u join users a on a.id = u.user_id
         where split_part(u.content_hash, '-', 1) = $1 order by u.id`,
        [bytesHash],
      ),

    /** Ids of the live streams that play or show one of these uploads. */
    streamsPlaying: async (uploadIDs: readonly string[]) =>
      (await all<{ id: string }>(db, `select s.id ${playing} order by s.id`, [uploadIDs])).map(({ id }) => id),

    /**
     * Marks an upload as failed and removes its content, so that its renditions become orphans.
     */
    emptyUpload: (uploadID: string, failure: UploadFailure) =>
      db.query(`update uploads set probe_state = 'failed', failure = $2, content_hash = null where id = $1`, [
        uploadID,
        failure,
      ]),
  };
}
