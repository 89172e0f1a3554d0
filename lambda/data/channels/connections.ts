// SQL of connections to channels on managed platforms. Their grants and verifiers are sealed.
import type { ConnectionState, PlatformName } from '../../domain/channels/managed-platforms.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface Connection {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly platform: PlatformName;
  readonly state: ConnectionState;
  /** Null, as the next three fields, until the user has consented. */
  readonly account_id: string | null;
  readonly title_cached: string | null;
  readonly live_url: string | null;
  readonly sealed_grant: Buffer | null;
  readonly scopes: readonly string[];
  readonly verified_at: Date | null;
  /** Why the platform does not let us use it, in words; null: it does. */
  readonly problem: string | null;
  /** When its grant expires; null: never, as far as we know. */
  readonly grant_ends_at: Date | null;
  /** When its user disconnected it; null: connected. */
  readonly deleted_at: Date | null;
  readonly created_at: Date;
  /** The destination that stands for the channel; null until it is connected. */
  readonly destination_id: string | null;
  /** Until when no broadcast can begin, as our quota at the platform is used up; null: some is left. */
  readonly quota_exhausted_until: Date | null;
}

/** A consent that was requested. */
export interface Authorization {
  readonly connection_id: string;
  readonly user_id: string;
  readonly platform: Connection['platform'];
  readonly email: string;
  readonly sealed_verifier: Buffer;
  readonly return_to: string | null;
}

/** SQL expression: when our quota at the platform of the connection `c` is renewed; null: some is left. */
export const quotaExhaustedUntil = `(
  select max(greatest(exhausted_until, starts_exhausted_until)) from platform_quota q
  where q.platform = c.platform and greatest(exhausted_until, starts_exhausted_until) > now())`;

/** The unique index of a channel among the connections of a user (0008_channels.sql). */
export const oneForChannel = 'connections_by_account';

/** The most days to end open broadcasts after a disconnect. The quota of the platform is renewed meanwhile. */
const disconnectDays = 2;

/** SQL condition: its user has not disconnected it. */
const isKept = 'c.deleted_at is null';

/** The columns of a connection, in statements that call the table `c`. */
const columns = `c.*, (select id from destinations where connection_id = c.id) as destination_id,
  ${quotaExhaustedUntil} as quota_exhausted_until`;

export function connections(db: Queryable) {
  return {
    /** Deletes pending connections whose request for consent has expired. */
    deleteAbandoned: (userID: string) =>
      db.query(
        `delete from connections c
         where user_id = $1 and state = 'pending' and not exists (
           select from platform_authorizations a where a.connection_id = c.id and a.expires_at > now())`,
        [userID],
      ),

    /** Makes a pending connection. */
    insert: async (connection: { id: string; userID: string; platform: Connection['platform'] }) =>
      (await one<Connection>(
        db,
        `insert into connections as c (id, user_id, platform) values ($1, $2, $3) returning ${columns}`,
        [connection.id, connection.userID, connection.platform],
      ))!,

    find: (userID: string, id: string) =>
      one<Connection>(db, `select ${columns} from connections c where id = $1 and user_id = $2 and ${isKept}`, [
        id,
        userID,
      ]),

    lock: (userID: string, id: string) =>
      one<Connection>(
        db,
        `select ${columns} from connections c where id = $1 and user_id = $2 and ${isKept} for update`,
        [id, userID],
      ),

    list: (userID: string, before: number | null, count: number) =>
      all<Connection>(
        db,
        `select ${columns} from connections c
         where user_id = $1 and ${isKept} and ($2::bigint is null or seq < $2) order by seq desc limit $3`,
        [userID, before, count],
      ),

    /** Stores a request for consent. Earlier links for the same connection stop working. */
    requestConsent: async (asked: {
      stateSHA256: Buffer;
      connectionID: string;
      sealedVerifier: Buffer;
      returnTo: string | null;
      expiresAt: Date;
    }) => {
      await db.query('delete from platform_authorizations where connection_id = $1 or expires_at < now()', [
        asked.connectionID,
      ]);
      await db.query(
        `insert into platform_authorizations (state_sha256, connection_id, sealed_verifier, return_to, expires_at)
         values ($1, $2, $3, $4, $5)`,
        [asked.stateSHA256, asked.connectionID, asked.sealedVerifier, asked.returnTo, asked.expiresAt],
      );
    },

    /** The request for consent of a link; null if it was used, has expired, or never existed. */
    findConsent: (stateSHA256: Buffer) =>
      one<Authorization>(
        db,
        `select a.connection_id, c.user_id, c.platform, u.email, a.sealed_verifier, a.return_to
         from platform_authorizations a join connections c on c.id = a.connection_id join users u on u.id = c.user_id
         where a.state_sha256 = $1 and a.expires_at > now() and u.disabled_at is null`,
        [stateSHA256],
      ),

    /** Uses up a link. @returns false if it was used */
    endConsent: async (stateSHA256: Buffer) =>
      (await db.query('delete from platform_authorizations where state_sha256 = $1', [stateSHA256])).rowCount === 1,

    /** Whether a connection of any user has a grant of a channel, also one that only ends its broadcasts any more. */
    hasGrantOf: async (platform: PlatformName, accountID: string) =>
      (await one(
        db,
        `select id from connections
         where platform = $1 and account_id = $2 and sealed_grant is not null limit 1`,
        [platform, accountID],
      )) !== null,

    /**
     * Whether another connection to the same channel exists. A platform may revoke all grants of an account when one is
     * revoked.
     */
    isConnectedElsewhere: async (id: string) =>
      (await one(
        db,
        `select o.id from connections c join connections o
           on o.platform = c.platform and o.account_id = c.account_id and o.id <> c.id
         where c.id = $1 and o.deleted_at is null and o.sealed_grant is not null limit 1`,
        [id],
      )) !== null,

    /**
     * Stores the grant of a consent and its channel. A worker that has leased the connection loses it, so that it
     * cannot store the former grant.
     * @returns false if its user has disconnected it meanwhile
     * @throws with the constraint `oneForChannel` if its user has another connection to the channel
     */
    connect: async (connection: {
      id: string;
      state: ConnectionState;
      accountID: string;
      title: string;
      liveURL: string;
      sealedGrant: Buffer;
      scopes: readonly string[];
      /** The days until the grant expires; null: it does not. */
      grantDays: number | null;
    }) =>
      (await one(
        db,
        `update connections
         set state = $2, account_id = $3, title_cached = $4, live_url = $5, sealed_grant = $6, scopes = $7,
           grant_ends_at = now() + make_interval(days => $8),
           verified_at = now(), verify_at = case $2 when 'scope_missing' then null else now() end,
           problem = null, leased_until = null, lease_token = null
         where id = $1 and deleted_at is null returning id`,
        [
          connection.id,
          connection.state,
          connection.accountID,
          connection.title,
          connection.liveURL,
          connection.sealedGrant,
          connection.scopes,
          connection.grantDays,
        ],
      )) !== null,

    /** Whether a stream with settings of the connection is live. */
    isInUse: async (id: string) =>
      (await one<{ used: boolean }>(
        db,
        `select exists (
           select from streams s join managed_settings m on m.id = s.managed_settings_id
           where m.connection_id = $1 and s.stream_destination = 'managed' and s.deleted_at is null
             and s.state in ('preparing', 'activating', 'active', 'failing', 'stopping')) as used`,
        [id],
      ))!.used,

    /**
     * Disconnects a channel for its user. Its row stays until all open broadcasts have been ended with its grant, or
     * that has taken too long.
     */
    disconnect: async (id: string) => {
      await db.query('delete from managed_settings where connection_id = $1', [id]);
      await db.query('delete from destinations where connection_id = $1', [id]);
      await db.query('delete from platform_authorizations where connection_id = $1', [id]);
      await db.query(
        `update connections set deleted_at = now(), verify_at = now() + make_interval(days => $2) where id = $1`,
        [id, disconnectDays],
      );
    },

    delete: (id: string) => db.query('delete from connections where id = $1', [id]),
  };
}
