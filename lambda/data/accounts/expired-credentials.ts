// SQL that deletes expired credentials.
import type { Queryable } from '../shared/queryable.ts';

/** An account with a row in any of these is in use. Foreign keys protect the books as well. */
const ownedTables = ['api_keys', 'auth_sessions', 'billing_accounts', 'invoices', 'streams', 'uploads'];
/** The maximum number of accounts deleted per sweep. Each is looked for in tables without an index for it. */
const accountsAtOnce = 20;

/** Independent statements, each fast by an index or a small table. */
const statements = [
  'delete from auth_sessions where expires_at < now()',
  'delete from auth_verifications where expires_at < now()',
  'delete from device_codes where expires_at < now()',
  "delete from auth_rate_limits where last_request < extract(epoch from now() - interval '1 hour') * 1000",
  'delete from oauth_access_tokens where expires_at < now()',
  'delete from oauth_refresh_tokens where expires_at < now()',
  'delete from oauth_client_assertions where expires_at < now()',
  // Applications register without an account. Those that never had a consent are deleted after a day, and those whose
  // last consent has ended after a week.
  `delete from oauth_clients c
   where updated_at < now() - case when updated_at > created_at then interval '7 days' else interval '1 day' end
     and not exists (select from oauth_consents consent where consent.client_id = c.client_id)`,
  "delete from token_revocations where revoked_at < now() - interval '1 day'",
  "delete from signing_keys where published_until < now() - interval '1 day'",
  "delete from security_events where at < now() - interval '1 year'",
  // Strangers cause events of no user.
  "delete from security_events where user_id is null and at < now() - interval '1 day'",
  // Accounts whose address was never confirmed, and could not be used. Operators make others, with API keys.
  `delete from users where id in (
     select id from users u
     where not email_verified and created_at < now() - interval '7 days'
       and exists (select from auth_credentials where user_id = u.id)
       ${ownedTables.map((table) => `and not exists (select from ${table} where user_id = u.id)`).join('\n       ')}
     limit ${accountsAtOnce} for update skip locked)`,
];

export function expiredCredentials(db: Queryable) {
  return {
    delete: async () => {
      for (const statement of statements) await db.query(statement);
    },
  };
}
