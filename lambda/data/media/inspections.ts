// SQL of inspections: the queue of contents to inspect, their claims, and their findings.
import { randomUUID } from 'node:crypto';
import type { ContentPictures } from '../../domain/media/content-pictures.ts';
import type { Finding } from '../../domain/media/findings.ts';
import type { Loudness } from '../../domain/playout/loudness.ts';
import type { Measurements } from '../../domain/media/measurements.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** The results of the inspection of a content so far. */
export interface Inspection {
  readonly content_hash: string;
  /** The inspected share, from 0 to 1. */
  readonly share: number;
  readonly findings: readonly Finding[];
  readonly loudness: Loudness | null;
  /** Null until they are stored. */
  readonly pictures: ContentPictures | null;
}

/** An inspection that a worker has claimed. */
export interface ClaimedInspection extends Inspection {
  readonly claim: string;
  /** The claims since the last progress, including this one. */
  readonly attempts: number;
  readonly measurements: Measurements | null;
  readonly tool_seconds: number;
}

export interface InspectionProgress extends Pick<Inspection, 'share' | 'findings' | 'loudness'> {
  readonly measurements: Measurements | null;
  /** The run time of the tool for this piece, in seconds. */
  readonly toolSeconds: number;
  readonly isCompleted: boolean;
}

/** The length of a claim: longer than a worker takes for pictures and a piece. */
const lastsFor = '450 seconds';
/** SQL condition: no worker has claimed the inspection. */
const isFree = '(claimed_until is null or claimed_until < now())';

export function inspections(db: Queryable) {
  return {
    /** The inspections of these contents, in no order. */
    ofContents: (contentHashes: readonly string[]) =>
      all<Inspection>(
        db,
        `select content_hash, share, findings, loudness, pictures from inspections where content_hash = any ($1)`,
        [contentHashes],
      ),

    /** The times of black pictures of these uploads, by id, as far as they are known. Others are absent. */
    blackTimes: async (uploadIDs: readonly string[]) => {
      const rows = await all<{ id: string; times: readonly (readonly [number, number])[] }>(
        db,
        `select uploads.id, (
           select jsonb_agg(jsonb_build_array(finding -> 'startSeconds', finding -> 'endSeconds'))
           from jsonb_array_elements(findings) finding where finding ->> 'kind' = 'black') as times
         from uploads join inspections using (content_hash)
         where uploads.id = any ($1) and 'black' = any (uploads.finding_kinds)`,
        [uploadIDs],
      );
      return new Map(rows.map(({ id, times }) => [id, times]));
    },

    /** Claims the next content; null if none is waiting. */
    claim: () =>
      one<ClaimedInspection>(
        db,
        `update inspections
         set claim = $1, claimed_until = now() + interval '${lastsFor}', attempts = attempts + 1
         where content_hash = (
           select content_hash from inspections where state <> 'completed' and not is_orphan and ${isFree}
           order by turn, content_hash limit 1 for update skip locked)
         returning content_hash, claim, attempts, share, findings, loudness, pictures, measurements, tool_seconds`,
        [randomUUID()],
      ),

    recordPictures: ({ content_hash, claim }: ClaimedInspection, pictures: ContentPictures) =>
      db.query('update inspections set pictures = $3 where content_hash = $1 and claim = $2', [
        content_hash,
        claim,
        pictures,
      ]),

    /**
     * Records the result of a piece, ends the claim, and moves the content to the end of the queue. The uploads with
     * the content get the kinds of its findings.
     * @returns false if the claim was lost
     */
    advance: async ({ content_hash, claim }: ClaimedInspection, progress: InspectionProgress) => {
      const { share, findings, loudness, measurements, toolSeconds, isCompleted } = progress;
      const kinds = [...new Set(findings.map(({ kind }) => kind))].sort();
      const { rowCount } = await db.query(
        `update inspections
         set share = $3, findings = $4, loudness = $5, measurements = $6, tool_seconds = tool_seconds + $7,
           finding_kinds = $8, state = case when $9 then 'completed' else 'pending' end, attempts = 0,
           claim = null, claimed_until = null, turn = next_inspection_turn(user_id)
         where content_hash = $1 and claim = $2`,
        [
          content_hash,
          claim,
          share,
          JSON.stringify(findings),
          loudness,
          isCompleted ? null : measurements,
          toolSeconds,
          kinds,
          isCompleted,
        ],
      );
      if (rowCount)
        await db.query('update uploads set finding_kinds = $2 where content_hash = $1 and finding_kinds <> $2', [
          content_hash,
          kinds,
        ]);
      return rowCount === 1;
    },

    /**
     * Ends a claim without progress.
     * @param afterSeconds the delay before the next claim
     * @param counts whether it counts as an attempt
     */
    release: ({ content_hash, claim }: ClaimedInspection, afterSeconds: number, counts: boolean) =>
      db.query(
        `update inspections
         set claim = null, claimed_until = now() + make_interval(secs => $3), attempts = attempts - $4,
           turn = next_inspection_turn(user_id)
         where content_hash = $1 and claim = $2`,
        [content_hash, claim, afterSeconds, counts ? 0 : 1],
      ),

    /**
     * Claims inspections whose content no upload has any more, to delete their pictures. Their pictures are no longer
     * shown.
     */
    claimOrphans: (count: number) =>
      all<Pick<ClaimedInspection, 'content_hash' | 'claim'>>(
        db,
        `update inspections
         set state = 'removing', pictures = null, claim = $1, claimed_until = now() + interval '${lastsFor}'
         where content_hash in (
           select content_hash from inspections where is_orphan and ${isFree}
           order by content_hash limit $2 for update skip locked)
         returning content_hash, claim`,
        [randomUUID(), count],
      ),

    /** Deletes an inspection whose pictures are deleted. If an upload has the content again, it restarts instead. */
    forget: async ({ content_hash, claim }: Pick<ClaimedInspection, 'content_hash' | 'claim'>) => {
      const { rowCount } = await db.query(
        'delete from inspections where content_hash = $1 and claim = $2 and is_orphan',
        [content_hash, claim],
      );
      if (rowCount) return;
      await db.query(
        `update inspections
         set state = 'pending', claim = null, claimed_until = null, attempts = 0, share = 0, measurements = null,
           turn = next_inspection_turn(user_id)
         where content_hash = $1 and claim = $2`,
        [content_hash, claim],
      );
    },
  };
}
