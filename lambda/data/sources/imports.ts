// SQL of imports: uploads that a worker fetches from a link, and the leases of workers.
import type { LeftOut } from '../../domain/fleet/lanes.ts';
import { recordingScheme } from '../../domain/live/recording.ts';
import { isFunded } from '../shared/funded.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { UploadFailure } from '../media/uploads.ts';

/** An import that a worker has claimed. */
export interface ClaimedImport {
  readonly upload_id: string;
  readonly user_id: string;
  /** Whether its user is not funded. */
  readonly is_unfunded: boolean;
  readonly url: string;
  readonly epoch: number;
  readonly multipart_id: string | null;
  readonly source_version: SourceVersion | null;
  readonly object_key: string;
  /** The watched source that lists it; null: none, or it was deleted. */
  readonly source_id: string | null;
  /** The rest of the time that all workers together have for the import. Negative: it is used up. */
  readonly seconds_left: number;
  /** The time since it was requested. */
  readonly waited_ms: number;
}

/** Identifies the file behind a link, so that an import resumes only with the same file. */
export interface SourceVersion {
  /** The value for If-Range; null: the source gives no safe one, so the import cannot be resumed. */
  readonly validator: string | null;
  /** Null: the source does not report it. */
  readonly sizeBytes: number | null;
}

export interface NewImport {
  readonly uploadID: string;
  readonly userID: string;
  readonly url: string;
  /** Whether its user has named the upload; else it gets the name that the source reports. */
  readonly named: boolean;
  /** The watched source that lists it, whose credentials open the link; null: it was imported by its link. */
  readonly sourceID?: string | null;
}

/** The claim of a worker on an import. */
export interface HeldImport {
  readonly uploadID: string;
  readonly epoch: number;
}

/** Rules of a claim. */
export interface ClaimRules {
  readonly leftOut?: LeftOut;
  /** Users whose imports the worker has claimed, the last one at the end. */
  readonly served?: readonly string[];
  /** Whether to claim recordings only. */
  readonly recordingsOnly?: boolean;
}

/** SQL condition: an import waits for a worker. */
const isUnclaimed = `state in ('pending', 'downloading') and lease_expires_at is null`;
/** SQL condition: an import is a recording. */
const isRecording = `starts_with(url, '${recordingScheme}')`;
/** SQL: the number of imports that workers hold of a user. */
const heldOf = (user: string) => `(
  select count(*) from imports held where held.user_id = ${user} and held.lease_expires_at is not null)`;

/**
 * SQL: the users with imports that wait, and how many are held of each, without users at rest and the users `$3`.
 * @param condition of the imports
 */
const turnsOf = (condition: string) => `waiting as (
    (select user_id from imports where ${condition} order by user_id limit 1)
    union all
    select next.user_id from waiting cross join lateral (
      select user_id from imports
      where ${condition} and user_id > waiting.user_id order by user_id limit 1) next),
  turns as (
    select user_id, ${heldOf('waiting.user_id')} as held from waiting
    where user_id <> all ($3) and not exists (select from users where id = waiting.user_id and is_at_rest))`;

export function imports(db: Queryable) {
  return {
    insert: ({ uploadID, userID, url, named, sourceID = null }: NewImport) =>
      db.query('insert into imports (upload_id, user_id, url, named, source_id) values ($1, $2, $3, $4, $5)', [
        uploadID,
        userID,
        url,
        named,
        sourceID,
      ]),

    /** Records that the user has named the uploads, so that names from the source do not replace theirs. */
    keepNames: (uploadIDs: readonly string[]) =>
      db.query('update imports set named = true where upload_id = any ($1) and not named', [uploadIDs]),

    /**
     * Claims an import for a worker: recordings first, then of the users with the fewest claimed imports, then of those
     * whom the worker has not served for the longest time, then the oldest one. Users at rest wait. It is one
     * statement, so that concurrent claims skip locked rows and never get the same import. It reads 30 imports of each
     * user, more than there are concurrent claims, in place of thousands.
     */
    claim: (
      leaseSeconds: number,
      totalSeconds: number,
      { leftOut = { userIDs: [], unfunded: false }, served = [], recordingsOnly = false }: ClaimRules = {},
    ) => {
      const isWanted = `${isUnclaimed} and (not $6 or ${isRecording})`;
      return one<ClaimedImport>(
        db,
        `with recursive ${turnsOf(isWanted)},
         first as materialized (
           select upload_id, held from turns cross join lateral (
             select upload_id from imports
             where ${isWanted} and user_id = turns.user_id order by seq limit 30) of_user
           where not $4 or ${isFunded('turns.user_id')}),
         next as (
           select upload_id from first join imports using (upload_id)
           where ${isUnclaimed}
           order by ${isRecording} desc, held, array_position($5::text[], user_id) nulls first, seq
           limit 1 for update of imports skip locked)
         update imports
         set state = 'downloading', epoch = epoch + 1, lease_expires_at = now() + make_interval(secs => $1),
           deadline_at = coalesce(deadline_at, now() + make_interval(secs => $2))
         from next join uploads on uploads.id = next.upload_id
         where imports.upload_id = next.upload_id
         returning imports.*, not ${isFunded('imports.user_id')} as is_unfunded, uploads.object_key,
           extract(epoch from deadline_at - now())::float8 as seconds_left,
           extract(epoch from now() - uploads.created_at)::float8 * 1000 as waited_ms`,
        [leaseSeconds, totalSeconds, leftOut.userIDs, leftOut.unfunded, served, recordingsOnly],
      );
    },

    /**
     * The import that a worker should release for a user who waits with fewer claimed imports, and who gets its lane
     * then: one of the user with the most.
     * @param over those that it may release
     * @param leftOut users who get no lane of the worker now, as `isFull` says whether it has a free one
     * @returns its id; null: no such user waits
     */
    nextToRelease: async (over: readonly HeldImport[], leftOut: LeftOut, isFull: boolean) => {
      const found = await one<{ upload_id: string }>(
        db,
        `with recursive ${turnsOf(isUnclaimed)},
         over as (
           select upload_id, ${heldOf('imports.user_id')} as held, ${isFunded('imports.user_id')} as is_funded
           from unnest($1::text[], $2::integer[]) as asked (upload_id, epoch) join imports using (upload_id, epoch)
           where lease_expires_at is not null)
         select upload_id from over
         where exists (
           select from turns
           where turns.held < over.held and case when ${isFunded('turns.user_id')} then $5::boolean
             else not over.is_funded or not $4::boolean end)
         order by held desc, upload_id limit 1`,
        [
          over.map(({ uploadID }) => uploadID),
          over.map(({ epoch }) => epoch),
          leftOut.userIDs,
          leftOut.unfunded,
          isFull,
        ],
      );
      return found?.upload_id ?? null;
    },

    /**
     * Renews the leases of all imports that a worker holds, and records their progress. It releases imports of users at
     * rest: another worker continues them, with all of their time, when the account is woken.
     * @returns the imports that it still holds
     */
    renew: async (held: readonly (HeldImport & { readonly bytesReceived: number })[], leaseSeconds: number) => {
      const rows = await all<{ upload_id: string; epoch: number }>(
        db,
        `with mine as (
           select i.upload_id, i.epoch, asked.bytes_received, u.is_at_rest
           from unnest($2::text[], $3::integer[], $4::bigint[]) as asked (upload_id, epoch, bytes_received)
             join imports i on i.upload_id = asked.upload_id and i.epoch = asked.epoch
               and i.state = 'downloading' and i.lease_expires_at is not null
             join users u on u.id = i.user_id),
         resting as (
           update imports i set lease_expires_at = null, deadline_at = null, bytes_received = mine.bytes_received
           from mine
           where mine.is_at_rest and i.upload_id = mine.upload_id and i.epoch = mine.epoch
             and i.lease_expires_at is not null
           returning i.upload_id),
         -- An account that is woken at this moment has sent commands only for imports without a worker.
         asked_for as (insert into outbox (queue, body)
           select 'imports', jsonb_build_object('uploadID', upload_id) from resting)
         update imports i
         set lease_expires_at = now() + make_interval(secs => $1), bytes_received = mine.bytes_received
         from mine
         where not mine.is_at_rest and i.upload_id = mine.upload_id and i.epoch = mine.epoch
           and i.state = 'downloading' and i.lease_expires_at is not null
         returning i.upload_id, i.epoch`,
        [
          leaseSeconds,
          held.map(({ uploadID }) => uploadID),
          held.map(({ epoch }) => epoch),
          held.map(({ bytesReceived }) => bytesReceived),
        ],
      );
      return rows.map((row): HeldImport => ({ uploadID: row.upload_id, epoch: row.epoch }));
    },

    /**
     * Records the multipart upload of further parts, and the version of the source that they come from.
     * @returns false if the worker no longer holds the import
     */
    beginParts: async ({ uploadID, epoch }: HeldImport, multipartID: string, version: SourceVersion) => {
      const { rowCount } = await db.query(
        `update imports set multipart_id = $3, source_version = $4, bytes_received = 0
         where upload_id = $1 and epoch = $2 and lease_expires_at is not null`,
        [uploadID, epoch, multipartID, JSON.stringify(version)],
      );
      return rowCount === 1;
    },

    /** Ends an import: completed, or failed for good. @returns false if the worker no longer holds it */
    end: async (
      { uploadID, epoch }: HeldImport,
      { bytesReceived, failure }: { bytesReceived: number; failure: UploadFailure | null },
    ) => {
      const { rowCount } = await db.query(
        `update imports
         set state = case when $4::jsonb is null then 'completed' else 'failed' end, bytes_received = $3, failure = $4,
           lease_expires_at = null, multipart_id = null, source_version = null
         where upload_id = $1 and epoch = $2 and lease_expires_at is not null`,
        [uploadID, epoch, bytesReceived, failure === null ? null : JSON.stringify(failure)],
      );
      return rowCount === 1;
    },

    /**
     * Retries a failed import as if it were new, with all of its time.
     * @param url the new URL of its file; null: unchanged
     */
    retry: (uploadID: string, url: string | null = null) =>
      db.query(
        `with again as (
           update imports set state = 'pending', failure = null, bytes_received = 0, deadline_at = null,
             url = coalesce($2, url)
           where upload_id = $1 and state = 'failed' returning upload_id)
         update uploads set probe_state = 'pending', failure = null, declared_size_bytes = null, expected_bytes = 0
         from again where uploads.id = again.upload_id`,
        [uploadID, url],
      ),

    /**
     * Releases imports that a worker holds, each with a command for another worker to continue it.
     * @param withAllTime whether they have all of their time again
     */
    release: (held: readonly HeldImport[], { withAllTime = false } = {}) =>
      db.query(
        `with given as (
           update imports set lease_expires_at = null, deadline_at = case when not $3 then deadline_at end
           from unnest($1::text[], $2::integer[]) as mine (upload_id, epoch)
           where imports.upload_id = mine.upload_id and imports.epoch = mine.epoch and lease_expires_at is not null
           returning imports.upload_id)
         insert into outbox (queue, body) select 'imports', jsonb_build_object('uploadID', upload_id) from given`,
        [held.map(({ uploadID }) => uploadID), held.map(({ epoch }) => epoch), withAllTime],
      ),

    /**
     * Releases imports whose lease is over, each with a command for another worker. Any number of processes may call
     * this at once.
     */
    freeExpired: () => free(db, 'lease_expires_at < now()'),

    /** Releases all imports. Only for a caller that knows that all workers are dead. */
    freeAll: () => free(db, 'lease_expires_at is not null'),
  };
}

function free(db: Queryable, condition: string) {
  return db.query(
    `with freed as (update imports set lease_expires_at = null where ${condition} returning upload_id)
     insert into outbox (queue, body) select 'imports', jsonb_build_object('uploadID', upload_id) from freed`,
  );
}
