// SQL of renditions: how far the preparation of uploads is, and who waits for it.
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import type { UploadFailure } from './uploads.ts';

export const renditionStates = ['preparing', 'ready', 'failed'] as const;
export type RenditionState = (typeof renditionStates)[number];

export interface RenditionRow {
  readonly content_hash: string;
  /** A name of domain/rendition.ts. */
  readonly format: string;
  readonly state: RenditionState;
  readonly segment_count: number;
  readonly segments_done: number;
  readonly failure: UploadFailure | null;
}

/** How far an upload is; nulls where nobody has begun with it. */
export interface UploadPreparation {
  readonly upload_id: string;
  readonly content_hash: string | null;
  readonly state: RenditionState | null;
}

/** What nobody has worked on for longer than a segment may take is nobody's work any more. */
const stalledAfter = '15 minutes';

export function renditions(db: Queryable) {
  return {
    /**
     * Asks for a rendition.
     * @param retriedFailure the code of failures after which it is tried again
     * @returns whether somebody has to be sent to make it: nobody has asked before, or whoever was at it has given up
     */
    request: async (contentHash: string, format: string, retriedFailure: string | null) =>
      (await one(
        db,
        `insert into renditions as r (content_hash, format, segment_count) values ($1, $2, 0)
         on conflict (content_hash, format) do update set state = 'preparing', failure = null, updated_at = now()
           where r.state = 'preparing' and r.updated_at < now() - interval '${stalledAfter}'
             or r.state = 'failed' and r.failure ->> 'code' = $3
         returning true as asked`,
        [contentHash, format, retriedFailure],
      )) !== null,

    /** Begins with a segment, now that it is known what it is made of. */
    begin: async (contentHash: string, format: string, segmentCount: number) =>
      (await one<RenditionRow>(
        db,
        `insert into renditions (content_hash, format, segment_count) values ($1, $2, $3)
         on conflict (content_hash, format) do update set segment_count = $3, updated_at = now() returning *`,
        [contentHash, format, segmentCount],
      ))!,

    /** Notes a segment, if it is the next one. @returns the row as it is now; null when another was noted meanwhile */
    finishSegment: (contentHash: string, format: string, segment: number) =>
      one<RenditionRow>(
        db,
        `update renditions set segments_done = $3 + 1, updated_at = now(), state = case when $3 + 1 >= segment_count then 'ready' else state end
         where content_hash = $1 and format = $2 and segments_done = $3 and state = 'preparing' returning *`,
        [contentHash, format, segment],
      ),

    fail: (contentHash: string, format: string, failure: UploadFailure) =>
      db.query(
        `insert into renditions (content_hash, format, segment_count, state, failure) values ($1, $2, 0, 'failed', $3)
         on conflict (content_hash, format) do update set state = 'failed', failure = $3`,
        [contentHash, format, failure],
      ),

    /** Has it made anew from a segment on. */
    reopen: (contentHash: string, format: string, segment: number) =>
      db.query(
        `update renditions set state = 'preparing', failure = null, updated_at = now(), segments_done = least(segments_done, $3)
         where content_hash = $1 and format = $2`,
        [contentHash, format, segment],
      ),

    /** How far these uploads are in a format, in no order. What is not ready stays so until the transaction ends. */
    ofUploads: async (uploadIDs: readonly string[], format: string): Promise<UploadPreparation[]> => {
      // Whoever finishes one waits here, and then sees who waits for it.
      await db.query(
        `select from renditions where format = $2 and content_hash in (select content_hash from uploads where id = any ($1))
         order by content_hash for share`,
        [uploadIDs, format],
      );
      return all<UploadPreparation>(
        db,
        `select u.id as upload_id, u.content_hash, r.state
         from uploads u left join renditions r on r.content_hash = u.content_hash and r.format = $2 where u.id = any ($1)`,
        [uploadIDs, format],
      );
    },

    /** Hashes of those of these uploads that are or were prepared in a format, by upload. */
    contentHashes: async (uploadIDs: readonly string[], format: string) => {
      const rows = await all<{ id: string; content_hash: string }>(
        db,
        `select u.id, u.content_hash from uploads u join renditions r on r.content_hash = u.content_hash and r.format = $2
         where u.id = any ($1) and r.state <> 'failed'`,
        [uploadIDs, format],
      );
      return new Map(rows.map((row) => [row.id, row.content_hash]));
    },

    /** How much of what these streams play is prepared, 0 to 1, by stream; what cannot be prepared counts as done. */
    preparedShares: async (streamIDs: readonly string[]) => {
      const rows = await all<{ stream_id: string; share: number }>(
        db,
        `with played as (
           select distinct s.id as stream_id, item ->> 'uploadID' as upload_id,
             case t.track when 'audio' then 'sound' else s.run_quality || '-' || s.run_framerate end as format
           from streams s join timeline_entries t on t.stream_id = s.id, jsonb_array_elements(t.snapshot -> 'items') as item
           where s.id = any ($1))
         select p.stream_id,
           avg(case when r.state = 'preparing' then coalesce(r.segments_done::double precision / nullif(r.segment_count, 0), 0) when r.state is null then 0 else 1 end) as share
         from played p left join uploads u on u.id = p.upload_id
           left join renditions r on r.content_hash = u.content_hash and r.format = p.format
         group by p.stream_id`,
        [streamIDs],
      );
      return new Map(rows.map((row) => [row.stream_id, row.share]));
    },

    /** Streams and playlists that wait for something of this content. */
    waitingFor: async (contentHash: string) => {
      const streams = await all<{ id: string }>(
        db,
        `select id from streams s where state = 'preparing' and exists (
           select from timeline_entries t join uploads u on u.content_hash = $1
           where t.stream_id = s.id and t.snapshot -> 'items' @> jsonb_build_array(jsonb_build_object('uploadID', u.id)))
         order by id`,
        [contentHash],
      );
      const playlists = await all<{ id: string; publish_request: number }>(
        db,
        `select id, publish_request from playlists p where publish_status = 'PREPARING' and exists (
           select from uploads u where u.content_hash = $1
           and p.publishing -> 'items' @> jsonb_build_array(jsonb_build_object('uploadID', u.id)))`,
        [contentHash],
      );
      return { streamIDs: streams.map(({ id }) => id), playlists };
    },

    /** Forgets renditions whose content nobody has any more; answers with them, for their objects to be deleted. */
    removeOrphans: () =>
      all<RenditionRow>(
        db,
        'delete from renditions r where not exists (select from uploads u where u.content_hash = r.content_hash) returning *',
      ),
  };
}
