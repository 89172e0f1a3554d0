// SQL that deletes expired credentials.
import type { Queryable } from '../shared/queryable.ts';

/** Independent statements, each fast by an index or a small table. */
const statements = [
  'delete from auth_sessions where expires_at < now()',
  'delete from auth_verifications where expires_at < now()',
  'delete from device_codes where expires_at < now()',
  "delete from auth_rate_limits where last_request < extract(epoch from now() - interval '1 hour') * 1000",
  'delete from oauth_access_tokens where expires_at < now()',
  'delete from oauth_refresh_tokens where expires_at < now()',
  'delete from oauth_client_assertions where expires_at < now()',
  // Applications register without an account. Those without a consent are deleted after a week.
  `delete from oauth_clients c
   where updated_at < now() - interval '7 days'
     and not exists (select from oauth_consents consent where consent.client_id = c.client_id)`,
  "delete from token_revocations where revoked_at < now() - interval '1 day'",
  "delete from signing_keys where published_until < now() - interval '1 day'",
  "delete from security_events where at < now() - interval '1 year'",
];

export function expiredCredentials(db: Queryable) {
  return {
    delete: async () => {
      for (const statement of statements) await db.query(statement);
    },
  };
}
