// SQL of content that is kept out: what is known of it, and everything that has to go because of it.
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import type { UploadFailure } from './uploads.ts';

export interface HeldContent {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly object_key: string;
}

/** SQL of streams `s` that play one of the uploads $1, or are about to. */
const playing = `
  from streams s
  where s.state in ('preparing', 'activating', 'active', 'failing') and (
    s.video_upload_id = any ($1) or s.audio_upload_id = any ($1)
    or exists (
      select from timeline_entries t, jsonb_array_elements(t.snapshot -> 'items') as item
      where t.stream_id = s.id and item ->> 'uploadID' = any ($1)))`;

export function blockedContents(db: Queryable) {
  return {
    find: (contentHash: string) =>
      one<{ reason: string; blocked_at: Date }>(
        db,
        'select reason, blocked_at from blocked_contents where content_hash = $1',
        [contentHash],
      ),

    /** @returns false if it was blocked before */
    block: async (contentHash: string, reason: string) => {
      const { rowCount } = await db.query(
        'insert into blocked_contents (content_hash, reason) values ($1, $2) on conflict (content_hash) do nothing',
        [contentHash, reason],
      );
      return rowCount === 1;
    },

    /** @returns false if it was not blocked */
    unblock: async (contentHash: string) =>
      (await db.query('delete from blocked_contents where content_hash = $1', [contentHash])).rowCount === 1,

    /** All uploads of a content, whoever made them. */
    uploadsOf: (contentHash: string) =>
      all<HeldContent>(
        db,
        `select u.id, u.user_id, a.email, u.name, u.object_key from uploads u join users a on a.id = u.user_id
         where u.content_hash = $1 order by u.id`,
        [contentHash],
      ),

    /** Ids of the streams that play one of these uploads, or are about to. */
    streamsPlaying: async (uploadIDs: readonly string[]) =>
      (await all<{ id: string }>(db, `select s.id ${playing} order by s.id`, [uploadIDs])).map(({ id }) => id),

    /**
     * Makes an upload one that failed. It has no content any more, so that what was prepared from it is an orphan.
     */
    emptyUpload: (uploadID: string, failure: UploadFailure) =>
      db.query(`update uploads set probe_state = 'failed', failure = $2, content_hash = null where id = $1`, [
        uploadID,
        failure,
      ]),
  };
}
