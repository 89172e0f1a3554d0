// SQL of watched sources, and of the leases by which workers look at them. Credentials are sealed before they get here.
import type { SourceKind } from '../../domain/sources/source-url.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { UploadFailure } from '../media/uploads.ts';

export const sourceStates = ['ok', 'failing'] as const;

export interface Source {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly kind: SourceKind;
  readonly url: string;
  /** A path, as in domain/shared/folder-path.ts; empty outside all folders. */
  readonly folder: string;
  /** Null where it needs none. */
  readonly sealed_credentials: Buffer | null;
  readonly every_minutes: number;
  readonly state: (typeof sourceStates)[number];
  /** Why the last look failed, or what it has left out. */
  readonly reason: UploadFailure | null;
  readonly last_scan_at: Date | null;
  /** Media files that the last look saw. */
  readonly found: number;
  /** How many of these have been made uploads whose imports have not failed. */
  readonly imported: number;
  readonly created_at: Date;
}

/** A source as the worker that looks at it sees it. */
export interface ClaimedSource extends Source {
  readonly epoch: number;
  /** Since the first of the looks in a row that failed; null if the last one did not. */
  readonly failing_minutes: number | null;
}

/** A source that a worker holds. */
export type HeldSource = Pick<ClaimedSource, 'id' | 'epoch'>;

/** What a look ends in. */
export interface ScanOutcome {
  readonly state: Source['state'];
  readonly reason: UploadFailure | null;
  readonly isFailed: boolean;
  /** Null where nothing was seen: then the figures stay as they are. */
  readonly found: number | null;
  readonly nextScanMinutes: number;
}

const columns = [
  'id, seq, user_id, kind, url, folder, sealed_credentials, every_minutes, state, reason, last_scan_at, found',
  'imported, created_at',
].join(', ');

/** SQL of the condition that nobody at rest has the source `s`. */
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
    }) =>
      (await one<Source>(
        db,
        `insert into sources (id, user_id, kind, url, folder, sealed_credentials, every_minutes)
         values ($1, $2, $3, $4, $5, $6, $7) returning ${columns}`,
        [
          source.id,
          source.userID,
          source.kind,
          source.url,
          source.folder,
          source.sealedCredentials,
          source.everyMinutes,
        ],
      ))!,

    find: (userID: string, id: string) =>
      one<Source>(db, `select ${columns} from sources where id = $1 and user_id = $2`, [id, userID]),

    /** The same, whoever owns it: for the worker that fetches what it lists. */
    findAny: (id: string) => one<Source>(db, `select ${columns} from sources where id = $1`, [id]),

    /** The source, locked until the transaction ends. */
    lock: (userID: string, id: string) =>
      one<Source>(db, `select ${columns} from sources where id = $1 and user_id = $2 for no key update`, [id, userID]),

    list: (userID: string, before: number | null, count: number) =>
      all<Source>(
        db,
        `select ${columns} from sources where user_id = $1 and ($2::bigint is null or seq < $2)
         order by seq desc limit $3`,
        [userID, before, count],
      ),

    /** Saves what the user wishes. What the next look finds shows whether it works. */
    save: async (id: string, settings: { folder: string; everyMinutes: number; sealedCredentials: Buffer | null }) =>
      (await one<Source>(
        db,
        `update sources
         set folder = $2, every_minutes = $3, sealed_credentials = $4,
           due_at = least(due_at, now() + make_interval(mins => $3))
         where id = $1 returning ${columns}`,
        [id, settings.folder, settings.everyMinutes, settings.sealedCredentials],
      ))!,

    /**
     * Makes the next look due, a minute after the last one at the earliest. A look that is under way is followed by
     * another one.
     */
    requestScan: async (id: string) =>
      (await one<Source>(
        db,
        `update sources
         set due_at = least(due_at, greatest(now(), interval '1 minute' +
           case when lease_expires_at is null then last_scan_at else now() end))
         where id = $1 returning ${columns}`,
        [id],
      ))!,

    delete: (id: string) => db.query('delete from sources where id = $1', [id]),

    /**
     * Gives a worker the source that is due for the longest: of a user none of whose is being looked at, and of these
     * of the one for whom nothing was looked at for the longest. Users at rest wait. Meanwhile it is not due: whoever
     * makes it due during the look asks for one more.
     */
    claim: (leaseSeconds: number) =>
      one<ClaimedSource>(
        db,
        `with next as (
           select s.id from sources s
           where s.due_at <= now() and s.lease_expires_at is null and ${isAwake} and not exists (
             select from sources held where held.user_id = s.user_id and held.lease_expires_at >= now())
           order by (select max(own.last_scan_at) from sources own where own.user_id = s.user_id) nulls first, s.due_at
           limit 1 for no key update of s skip locked)
         update sources
         set epoch = epoch + 1, lease_expires_at = now() + make_interval(secs => $1), due_at = 'infinity'
         where id in (select id from next)
         returning ${columns}, epoch,
           extract(epoch from now() - failing_since)::float8 / 60 as failing_minutes`,
        [leaseSeconds],
      ),

    /** Locks the source until the transaction ends. @returns false if the worker no longer holds it */
    lockHeld: async ({ id, epoch }: HeldSource) =>
      (await one(db, 'select from sources where id = $1 and epoch = $2 for no key update', [id, epoch])) !== null,

    /** Ends a look. @returns false, with nothing changed, where the worker does not hold the source any more */
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

    /** Lets go of a source, which is due again at once. */
    release: ({ id, epoch }: HeldSource) =>
      db.query('update sources set lease_expires_at = null, due_at = now() where id = $1 and epoch = $2', [id, epoch]),

    /**
     * Frees what dead workers held, and sends commands that have workers run by the time sources are due: a worker that
     * runs looks for these by itself.
     * @param most commands, as one worker looks at many sources
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

    /** Frees all sources that any worker holds. Only for a caller that knows that all workers are dead. */
    freeAll: () =>
      db.query('update sources set lease_expires_at = null, due_at = now() where lease_expires_at is not null'),
  };
}
