// SQL of watched sources, and of the leases of workers that scan them. Their credentials are sealed.
import type { LeftOut } from '../../domain/fleet/lanes.ts';
import type { SourceKind } from '../../domain/sources/source-url.ts';
import { isFunded } from '../shared/funded.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { UploadFailure } from '../media/uploads.ts';
import type { sourceStates } from '../../domain/sources/source-words.ts';

export interface Source {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly kind: SourceKind;
  readonly url: string;
  /** A path, as in domain/shared/folder-path.ts; empty outside all folders. */
  readonly folder: string;
  /** Null: it needs none. */
  readonly sealed_credentials: Buffer | null;
  readonly every_minutes: number;
  readonly state: (typeof sourceStates)[number];
  /** Why the last scan failed, or what it left out. */
  readonly reason: UploadFailure | null;
  readonly last_scan_at: Date | null;
  /** The number of media files that the last scan found. */
  readonly found: number;
  /** The number of these files that are uploads whose imports have not failed. */
  readonly imported: number;
  /** The application that added it, or had it scanned again after the one before was disconnected; null: none. */
  readonly client_id: string | null;
  readonly created_at: Date;
}

/** A source that a worker has claimed. */
export interface ClaimedSource extends Source {
  readonly epoch: number;
  /** Whether its user is not funded. */
  readonly is_unfunded: boolean;
  /** The minutes since the first of the scans in a row that failed; null if the last one succeeded. */
  readonly failing_minutes: number | null;
}

/** The claim of a worker on a source. */
export type HeldSource = Pick<ClaimedSource, 'id' | 'epoch'>;

/** The result of a scan. */
export interface ScanOutcome {
  readonly state: Source['state'];
  readonly reason: UploadFailure | null;
  readonly isFailed: boolean;
  /** The number of media files; null: unknown, and the stored figures stay. */
  readonly found: number | null;
  readonly nextScanMinutes: number;
}

const columns = [
  'id, seq, user_id, kind, url, folder, sealed_credentials, every_minutes, state, reason, last_scan_at, found',
  'imported, client_id, created_at',
].join(', ');

/** SQL condition: the source is held, as its application was disconnected. Decision D255. */
const isHeld = `due_at = 'infinity' and lease_expires_at is null`;
/** SQL condition: the user of the source `s` is not at rest. */
const isAwake = 'not exists (select from users u where u.id = s.user_id and u.is_at_rest)';

export function sources(db: Queryable) {
  return {
    insert: async (source: {
      id: string;
      userID: string;
      kind: SourceKind;
      url: string;
      folder: string;
      sealedCredentials: Buffer | null;
      everyMinutes: number;
      /** The application that adds it; null: none. */
      clientID: string | null;
    }) =>
      (await one<Source>(
        db,
        `insert into sources (id, user_id, kind, url, folder, sealed_credentials, every_minutes, client_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${columns}`,
        [
          source.id,
          source.userID,
          source.kind,
          source.url,
          source.folder,
          source.sealedCredentials,
          source.everyMinutes,
          source.clientID,
        ],
      ))!,

    find: (userID: string, id: string) =>
      one<Source>(db, `select ${columns} from sources where id = $1 and user_id = $2`, [id, userID]),

    /** The source of any user: for the worker that fetches its files. */
    findAny: (id: string) => one<Source>(db, `select ${columns} from sources where id = $1`, [id]),

    lock: (userID: string, id: string) =>
      one<Source>(db, `select ${columns} from sources where id = $1 and user_id = $2 for no key update`, [id, userID]),

    list: (userID: string, before: number | null, count: number) =>
      all<Source>(
        db,
        `select ${columns} from sources where user_id = $1 and ($2::bigint is null or seq < $2)
         order by seq desc limit $3`,
        [userID, before, count],
      ),

    /** Saves the settings of the user. The next scan shows whether they work. A held source stays so. */
    save: async (id: string, settings: { folder: string; everyMinutes: number; sealedCredentials: Buffer | null }) =>
      (await one<Source>(
        db,
        `update sources
         set folder = $2, every_minutes = $3, sealed_credentials = $4,
           due_at = case when ${isHeld} then due_at else least(due_at, now() + make_interval(mins => $3)) end
         where id = $1 returning ${columns}`,
        [id, settings.folder, settings.everyMinutes, settings.sealedCredentials],
      ))!,

    /**
     * Makes the next scan due, a minute after the last one at the earliest. A scan that is running is followed by
     * another one. A held source is watched again.
     * @param clientID the application that asks for it. A held source then ends with that one. Null: none
     */
    requestScan: async (id: string, clientID: string | null) =>
      (await one<Source>(
        db,
        `update sources
         set due_at = least(due_at, greatest(now(), interval '1 minute' +
           case when lease_expires_at is null then last_scan_at else now() end)),
           client_id = case when ${isHeld} then $2 else client_id end,
           reason = case when ${isHeld} then null else reason end
         where id = $1 returning ${columns}`,
        [id, clientID],
      ))!,

    delete: (id: string) => db.query('delete from sources where id = $1', [id]),

    /**
     * Claims a due source for a worker: of a user without a running scan, first of the user whose last scan is the
     * oldest. Users at rest wait. The claimed source is not due: a request during the scan makes another one due.
     * @param leftOut whether users are left out who are not funded
     */
    claim: (leaseSeconds: number, leftOut: Pick<LeftOut, 'unfunded'> = { unfunded: false }) =>
      one<ClaimedSource>(
        db,
        `with next as (
           select s.id from sources s
           where s.due_at <= now() and s.lease_expires_at is null and ${isAwake}
             and (not $2 or ${isFunded('s.user_id')}) and not exists (
             select from sources held where held.user_id = s.user_id and held.lease_expires_at >= now())
           order by (select max(own.last_scan_at) from sources own where own.user_id = s.user_id) nulls first, s.due_at
           limit 1 for no key update of s skip locked)
         update sources
         set epoch = epoch + 1, lease_expires_at = now() + make_interval(secs => $1), due_at = 'infinity'
         where id in (select id from next)
         returning ${columns}, epoch, not ${isFunded('sources.user_id')} as is_unfunded,
           extract(epoch from now() - failing_since)::float8 / 60 as failing_minutes`,
        [leaseSeconds, leftOut.unfunded],
      ),

    /** Locks the source until the transaction ends. @returns false if the worker no longer holds it */
    lockHeld: async ({ id, epoch }: HeldSource) =>
      (await one(db, 'select from sources where id = $1 and epoch = $2 for no key update', [id, epoch])) !== null,

    /** Ends a scan. @returns false, with nothing changed, if the worker no longer holds the source */
    endScan: async ({ id, epoch }: HeldSource, outcome: ScanOutcome) => {
      const { rowCount } = await db.query(
        `update sources
         set state = $3, reason = $4, failing_since = case when $5 then coalesce(failing_since, now()) end,
           found = coalesce($6, found),
           imported = case when $6::integer is null then imported else (
             select count(*) from source_files where source_id = $1 and removed_at is null and failures = 0) end,
           due_at = least(due_at, now() + make_interval(secs => $7::float8 * 60)),
           last_scan_at = now(), lease_expires_at = null
         where id = $1 and epoch = $2`,
        [
          id,
          epoch,
          outcome.state,
          outcome.reason === null ? null : JSON.stringify(outcome.reason),
          outcome.isFailed,
          outcome.found,
          outcome.nextScanMinutes,
        ],
      );
      return rowCount === 1;
    },

    /** Releases a source, which is due again at once. */
    release: ({ id, epoch }: HeldSource) =>
      db.query('update sources set lease_expires_at = null, due_at = now() where id = $1 and epoch = $2', [id, epoch]),

    /**
     * Releases the sources of dead workers, and sends commands that start workers before sources are due. A running
     * worker finds due sources by itself.
     * @param most the most commands: one worker scans many sources
     */
    wakeDue: (aheadSeconds: number, most: number) =>
      db.query(
        `with freed as (
           update sources set lease_expires_at = null, due_at = now() where lease_expires_at < now())
         insert into outbox (queue, body)
         select 'imports', jsonb_build_object('sourceID', s.id) from sources s
         where s.due_at < now() + make_interval(secs => $1) and ${isAwake}
         order by s.due_at limit $2`,
        [aheadSeconds, most],
      ),

    /** Releases all sources. Only for a caller that knows that all workers are dead. */
    freeAll: () =>
      db.query('update sources set lease_expires_at = null, due_at = now() where lease_expires_at is not null'),
  };
}
