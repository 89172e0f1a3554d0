// SQL of renditions whose content no upload has any more: what of them was deleted already.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { RenditionRow } from './renditions.ts';

/** Segments that are noted as not there, and what was noted of the rendition before. */
export interface ForgottenSegments extends Pick<RenditionRow, 'state' | 'failure' | 'segments_done'> {
  readonly from: number;
  readonly end: number;
}

/** SQL of the condition that no upload has the content of the rendition `r`. */
const isOrphan = 'not exists (select from uploads u where u.content_hash = r.content_hash)';
/** SQL of how many objects a rendition may have, with the one that was perhaps made but not noted. */
const segmentsThere = (row = '') => `greatest(${row}segments_written, ${row}segments_done) + 1`;
/** SQL of the first of the last segments. @param count SQL of how many they are */
const firstOfLast = (count: string, row = '') => `greatest(0, ${segmentsThere(row)} - ${count})`;

export function orphanedRenditions(db: Queryable) {
  return {
    /** Renditions whose content no upload has any more. Those that no command works at come first. */
    find: (count: number) =>
      all<Pick<RenditionRow, 'content_hash' | 'format'>>(
        db,
        `select content_hash, format from renditions r where ${isOrphan}
         order by exists (
           select from media_claims c
           where c.work = concat(r.content_hash, '/', r.format) and c.expires_at > now()) limit $1`,
        [count],
      ),

    /**
     * Notes that the last segments of an orphaned rendition are not done, so that they can be deleted.
     * @param count so many segments at most; the one that may have been made but not noted is among them
     * @returns which segments, `end` not included, and what the row said before; null if it is no orphan any more
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

    /** Takes back what `forgetSegments` noted. */
    restore: (contentHash: string, format: string, before: ForgottenSegments) =>
      db.query(
        'update renditions set state = $3, failure = $4, segments_done = $5 where content_hash = $1 and format = $2',
        [contentHash, format, before.state, before.failure, before.segments_done],
      ),

    /** Notes that the segments from one on are deleted. */
    recordDeleted: (contentHash: string, format: string, from: number) =>
      db.query('update renditions set segments_written = $3 where content_hash = $1 and format = $2', [
        contentHash,
        format,
        from,
      ]),

    /** Deletes a rendition of which nothing is there, if no upload has its content. */
    remove: (contentHash: string, format: string) =>
      db.query(
        `delete from renditions r where content_hash = $1 and format = $2 and segments_done = 0 and ${isOrphan}`,
        [contentHash, format],
      ),
  };
}
