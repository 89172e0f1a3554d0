// SQL of orphaned renditions, whose content no upload has any more, and of their deletion.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { RenditionRow } from './renditions.ts';

/** Segments that are recorded as missing, and the former state of the rendition. */
export interface ForgottenSegments extends Pick<RenditionRow, 'state' | 'failure' | 'segments_done'> {
  readonly from: number;
  readonly end: number;
}

/**
 * SQL condition: no upload has the content of the rendition `r`. The mark alone may be older than the newest upload,
 * and uploads alone may be newer than the statement sees.
 */
const isOrphan = 'r.is_orphan and not exists (select from uploads u where u.content_hash = r.content_hash)';
/** SQL expression: the most objects that a rendition may have, with one that was stored but not recorded. */
const segmentsThere = (row = '') => `greatest(${row}segments_written, ${row}segments_done) + 1`;
/** SQL expression: the first of the last segments. @param count SQL of their number */
const firstOfLast = (count: string, row = '') => `greatest(0, ${segmentsThere(row)} - ${count})`;

/*
 * Searches for marks are in the order of their index: without statistics Postgres expects half of all rows to be
 * marked, and would read the table.
 */
export function orphanedRenditions(db: Queryable) {
  return {
    /** Renditions that are marked as orphaned, without those at which a command is at work. */
    find: (count: number) =>
      all<Pick<RenditionRow, 'content_hash' | 'format'>>(
        db,
        `select content_hash, format from renditions r
         where is_orphan and not coalesce((
           select c.expires_at > now() from media_claims c where c.work = concat(r.content_hash, '/', r.format)), false)
         order by content_hash, format limit $1`,
        [count],
      ),

    /** Whether renditions, or pictures of contents, are marked as orphaned. */
    areLeft: async () =>
      (await one(
        db,
        `(select from renditions where is_orphan order by content_hash, format limit 1)
         union all (select from inspections where is_orphan order by content_hash limit 1) limit 1`,
        [],
      )) !== null,

    /** Marks what exists of a content again, as orphaned or as kept. */
    markAgain: (contentHash: string) => db.query('select mark_orphans($1)', [contentHash]),

    /**
     * Asks for the deletion of orphans, unless a command for it is due in the second half of that time. New marks ask
     * by themselves, for a minute later.
     */
    askForRemoval: (afterSeconds: number) => db.query('select ask_to_remove_orphans($1)', [afterSeconds]),

    /**
     * Records the last segments of an orphaned rendition as missing, so that they can be deleted.
     * @param count the most segments, including one that may have been stored but not recorded
     * @returns the segments, without `end`, and the former state of the row; null if it is no orphan any more
     */
    forgetSegments: (contentHash: string, format: string, count: number) =>
      one<ForgottenSegments>(
        db,
        `update renditions r
         set state = 'preparing', failure = null, updated_at = now(),
           segments_written = greatest(segments_written, segments_done),
           segments_done = least(segments_done, ${firstOfLast('$3')})
         where content_hash = $1 and format = $2 and ${isOrphan}
         returning ${firstOfLast('$3', 'old.')} as from, ${segmentsThere('old.')} as end,
           old.state, old.failure, old.segments_done`,
        [contentHash, format, count],
      ),

    /** Undoes `forgetSegments`. */
    restore: (contentHash: string, format: string, before: ForgottenSegments) =>
      db.query(
        'update renditions set state = $3, failure = $4, segments_done = $5 where content_hash = $1 and format = $2',
        [contentHash, format, before.state, before.failure, before.segments_done],
      ),

    /** Records that the segments from this one on are deleted. */
    recordDeleted: (contentHash: string, format: string, from: number) =>
      db.query('update renditions set segments_written = $3 where content_hash = $1 and format = $2', [
        contentHash,
        format,
        from,
      ]),

    /** Deletes an orphaned rendition without segments. */
    remove: (contentHash: string, format: string) =>
      db.query(
        `delete from renditions r where content_hash = $1 and format = $2 and segments_done = 0 and ${isOrphan}`,
        [contentHash, format],
      ),
  };
}
