// SQL of users and their API keys.
import type { Framerate, Quality } from '../../domain/shared/video-format.ts';
import { isFunded } from '../shared/funded.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import { countCalls, userSubject, valuesOfCalls } from '../shared/request-windows.ts';
import type { CallTime, CallWindow } from '../shared/request-windows.ts';

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly created_at: Date;
  readonly default_stream_duration_seconds: number;
  readonly default_quality: Quality;
  readonly default_framerate: Framerate;
  readonly stream_backend_edit: boolean;
  readonly disabled_at: Date | null;
  /** Set while the account is on hold: its user may only read, and sees the reason. */
  readonly held_at: Date | null;
  readonly held_reason: string | null;
  /** Whether the account is disabled or on hold: none of its streams is on the air, and due times wait. */
  readonly is_at_rest: boolean;
}

/** The features that operators switch for a user, with their columns. */
export const features = { streamBackendEdit: 'stream_backend_edit' } as const;

/** The use of a user that has no limits, by the labels that operators see. */
export type UseOfUser = Readonly<Record<string, number>>;

/** The user of a credential. */
interface Owner {
  readonly user_id: string;
  /** Reason why the account is on hold; null: it is not. */
  readonly hold: string | null;
}

/** The window of the call; nulls: the statement did not count it. */
export type WindowOfOwner = CallWindow | { readonly [Column in keyof CallWindow]: null };

/** A call that the statement of its user counts. */
export interface CountedCall {
  readonly requestClass: string;
  readonly time: CallTime;
}

const noTime: CallTime = { reservedMs: 0, mostMs: [], ownMs: 0, uncounted: { ms: 0, began: null } };
const valuesOf = (call: CountedCall | null) => valuesOfCalls(call?.requestClass ?? null, 1, call?.time ?? noTime);

interface OwnerOfKey extends Owner {
  readonly key_id: string;
  readonly scopes: readonly string[] | null;
  readonly is_use_recorded: boolean;
}

/** SQL of a column: the reason why the account is on hold, empty without one; null if it is not on hold. */
const hold = `case when held_at is not null then coalesce(held_reason, '') end as hold`;

/**
 * SQL of the owner of a credential that also counts a call of that user. Its parameters from $2 on are `valuesOf`.
 * @param owner SQL of the row of the owner, with `user_id`
 */
const countedOwner = (owner: string) => `
  with owner as (${owner}),
  counted as (
    select call.* from owner, lateral (${countCalls('owner.user_id', `array[${userSubject}]`, 2)}) call
    where $2::text is not null)
  select owner.*, requests, reset_seconds, share, used_up, began from owner left join counted on true`;

export function users(db: Queryable) {
  return {
    find: (userID: string) => one<User>(db, 'select * from users where id = $1', [userID]),

    /**
     * Whether the account is at rest. The answer holds until the transaction ends. A transaction that also locks a
     * stream locks the stream first.
     */
    lockRest: async (userID: string) =>
      (await one<{ is_at_rest: boolean }>(db, 'select is_at_rest from users where id = $1 for share', [userID]))
        ?.is_at_rest ?? false,

    /** Why the account is on hold; null: it is not. */
    holdOf: async (userID: string) =>
      (await one<{ hold: string | null }>(db, `select ${hold} from users where id = $1`, [userID]))?.hold ?? null,

    /** Whether the user has a purchase, or credits from an operator. */
    isFunded: async (userID: string) =>
      (await one<{ is_funded: boolean }>(db, `select ${isFunded('$1')} as is_funded`, [userID]))!.is_funded,

    /**
     * The user of an API key that is neither revoked nor expired, and the scopes of the key (null: every scope).
     * `is_use_recorded` is true if its use was recorded within the last minute. Only the SHA-256 of a key is stored.
     * @param call null: counts none
     */
    ownerOfKey: (keySha256: Buffer, call: CountedCall | null) =>
      one<OwnerOfKey & WindowOfOwner>(
        db,
        countedOwner(
          `select user_id, ${hold}, k.id as key_id, scopes,
             coalesce(last_used_at > now() - interval '1 minute', false) as is_use_recorded
           from api_keys k join users u on u.id = user_id
           where key_sha256 = $1 and revoked_at is null and (expires_at is null or expires_at > now())
             and disabled_at is null`,
        ),
        [keySha256, ...valuesOf(call)],
      ),

    /** The user of a session that has not ended. @param call as of `ownerOfKey` */
    ownerOfSession: (token: string, call: CountedCall | null) =>
      one<Owner & WindowOfOwner>(
        db,
        countedOwner(
          `select user_id, ${hold} from auth_sessions s join users u on u.id = user_id
           where token = $1 and s.expires_at > now() and disabled_at is null`,
        ),
        [token, ...valuesOf(call)],
      ),

    recordKeyUse: (keyID: string) => db.query('update api_keys set last_used_at = now() where id = $1', [keyID]),

    /** The user with this address, in any case, or with this id. */
    named: (name: string) => one<User>(db, 'select * from users where id = $1 or lower(email) = lower($1)', [name]),

    /** Users whose address or id has this text in it, the newest first. */
    search: (text: string, count: number) =>
      all<User>(
        db,
        `select * from users where strpos(lower(email), lower($1)) > 0 or strpos(id, $1) > 0
         order by created_at desc limit $2`,
        [text, count],
      ),

    useOf: async (userID: string) =>
      (await one<UseOfUser>(
        db,
        `select
           (select count(*) from streams where user_id = $1 and state = 'scheduled') as "streams scheduled",
           (select count(*) from webhook_deliveries d join webhooks w on w.id = d.webhook_id
             where w.user_id = $1 and d.state = 'pending') as "deliveries pending",
           (select coalesce(sum(credits), 0) from invoices
             where user_id = $1 and type = 'credit_purchase' and state = 'paid') as "credits bought"`,
        [userID],
      ))!,

    /** @returns false if the user is disabled already */
    disable: (userID: string) => set(db, userID, 'disabled_at = now()', 'disabled_at is null'),
    enable: (userID: string) => set(db, userID, 'disabled_at = null', 'disabled_at is not null'),
    /** @param reason the reason that the user sees; null: none @returns false if the account is on hold already */
    hold: async (userID: string, reason: string | null) => {
      const isNew = await set(db, userID, 'held_at = now()', 'held_at is null');
      await db.query('update users set held_reason = $2 where id = $1', [userID, reason]);
      return isNew;
    },
    release: (userID: string) => set(db, userID, 'held_at = null, held_reason = null', 'held_at is not null'),

    setFeature: (userID: string, feature: keyof typeof features, isOn: boolean) =>
      db.query(`update users set ${features[feature]} = $2 where id = $1`, [userID, isOn]),

    /** Makes a user, or gives this address and name to the user with the id. */
    ensureUser: async (user: { id: string; email: string; name: string }) =>
      (await one<User>(
        db,
        `insert into users (id, email, name) values ($1, $2, $3)
         on conflict (id) do update set email = excluded.email, name = excluded.name returning *`,
        [user.id, user.email, user.name],
      ))!,

    /**
     * Sets the password of a user. The address counts as verified, without any mail.
     * @param credential its `passwordHash` as better-auth makes it
     */
    ensurePassword: (credential: { id: string; userID: string; passwordHash: string }) =>
      db.query(
        `with verified as (update users set email_verified = true where id = $2)
         insert into auth_credentials (id, user_id, account_id, provider_id, password)
         values ($1, $2, $2, 'credential', $3)
         on conflict (id) do update set password = excluded.password`,
        [credential.id, credential.userID, credential.passwordHash],
      ),

    /** The hash of the password of the user whose address is this, and not confirmed; null if there is none. */
    unconfirmedPassword: async (email: string) =>
      (
        await one<{ password: string }>(
          db,
          `select c.password from users u join auth_credentials c on c.user_id = u.id
           where u.email = $1 and not u.email_verified and c.provider_id = 'credential' and c.password is not null`,
          [email],
        )
      )?.password ?? null,

    /** Makes an API key in place of the one with its id. */
    replaceKey: (key: { id: string; userID: string; name: string; keySha256: Buffer; keyStart: string }) =>
      db.query(
        `insert into api_keys (id, user_id, name, key_sha256, key_start) values ($1, $2, $3, $4, $5)
         on conflict (id) do update set key_sha256 = excluded.key_sha256, key_start = excluded.key_start`,
        [key.id, key.userID, key.name, key.keySha256, key.keyStart],
      ),

    /** Makes an API key, unless it exists. */
    ensureKey: (key: { id: string; userID: string; name: string; keySha256: Buffer; keyStart: string }) =>
      db.query(
        `insert into api_keys (id, user_id, name, key_sha256, key_start) values ($1, $2, $3, $4, $5)
         on conflict (key_sha256) do nothing`,
        [key.id, key.userID, key.name, key.keySha256, key.keyStart],
      ),
  };
}

async function set(db: Queryable, userID: string, assignment: string, condition: string): Promise<boolean> {
  return (await db.query(`update users set ${assignment} where id = $1 and ${condition}`, [userID])).rowCount === 1;
}
