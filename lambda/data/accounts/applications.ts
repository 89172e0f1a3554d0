// SQL of the applications that act for users, for which better-auth has no statements.
import { sourceHeld } from '../../domain/sources/source-words.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface ConnectedApplication {
  readonly client_id: string;
  readonly name: string | null;
  readonly uri: string | null;
  readonly redirect_uris: readonly string[];
  readonly scopes: readonly string[];
  readonly connected_at: Date;
}

export function applications(db: Queryable) {
  return {
    /** Whether the application registered for refresh tokens. */
    mayRefresh: async (clientID: string) => {
      const client = await one<{ may_refresh: boolean }>(
        db,
        `select coalesce(grant_types ? 'refresh_token', false) as may_refresh from oauth_clients where client_id = $1`,
        [clientID],
      );
      return client?.may_refresh ?? false;
    },

    /**
     * The applications that the user has agreed to, the latest first. Their scopes are those of the last consent, and
     * of tokens of earlier ones, which a consent to fewer does not end. Access tokens without a refresh token have no
     * row: they end within minutes.
     */
    connectedTo: (userID: string, now: Date) =>
      all<ConnectedApplication>(
        db,
        `select client_id, c.name, c.uri, c.redirect_uris, consent.created_at as connected_at, (
           select jsonb_agg(distinct scope) from (
             select consent.scopes
             union all
             select scopes from oauth_refresh_tokens r
             where r.user_id = $1 and r.client_id = consent.client_id and r.revoked is null and r.expires_at > $2
             union all
             select scopes from oauth_access_tokens a
             where a.user_id = $1 and a.client_id = consent.client_id and a.revoked is null and a.expires_at > $2
           ) agreed cross join lateral jsonb_array_elements_text(agreed.scopes) as each (scope)) as scopes
         from oauth_consents consent join oauth_clients c using (client_id)
         where consent.user_id = $1 order by consent.created_at desc`,
        [userID, now],
      ),

    /** Whether the user has agreed to the application, and does not disconnect it until the transaction ends. */
    holdConsent: async (userID: string, clientID: string) => {
      const consent = await one(
        db,
        'select from oauth_consents where user_id = $1 and client_id = $2 limit 1 for key share',
        [userID, clientID],
      );
      return consent !== null;
    },

    /** Whether the user has agreed to the application. */
    isAgreedTo: async (userID: string, clientID: string) => {
      const consent = await one(db, 'select from oauth_consents where user_id = $1 and client_id = $2 limit 1', [
        userID,
        clientID,
      ]);
      return consent !== null;
    },

    /**
     * Ends the user's consent to an application with its tokens and codes, disables the webhooks and alert channels
     * that it made, ends the keys of live inputs and the guide links that it received, and holds its sources. Decision
     * D255. The caller is in a transaction.
     * @returns whether the application had a consent, token or code
     */
    disconnect: async (userID: string, clientID: string) => {
      // Waits for changes by the application, so that the next statement sees them.
      await db.query('select from oauth_consents where user_id = $1 and client_id = $2 for update', [userID, clientID]);
      const { rowCount } = await db.query(
        `with consents as (delete from oauth_consents where user_id = $1 and client_id = $2 returning 1),
           refresh as (delete from oauth_refresh_tokens where user_id = $1 and client_id = $2 returning 1),
           opaque as (delete from oauth_access_tokens where user_id = $1 and client_id = $2 returning 1),
           codes as (
             delete from auth_verifications
             where case when value is json object
               then value::jsonb ->> 'userId' = $1 and value::jsonb -> 'query' ->> 'client_id' = $2 end
             returning 1),
           devices as (delete from device_codes where user_id = $1 and client_id = $2 returning 1),
           hooks as (
             update webhooks set enabled = false, disabled_reason = null
             where user_id = $1 and client_id = $2 and enabled returning id),
           given_up as (
             update webhook_deliveries set state = 'failed', failure = 'webhook_disabled'
             where state = 'pending' and webhook_id in (select id from hooks)),
           alerts as (
             update alert_channels set enabled = false, disabled_reason = null, test_asked_at = null
             where user_id = $1 and client_id = $2 and enabled returning id),
           untold as (delete from alert_notices where sent_at is null and channel_id in (select id from alerts)),
           keys as (
             update live_inputs set key_sha256 = null, key_client_id = null, updated_at = now()
             where user_id = $1 and key_client_id = $2),
           links as (
             delete from guide_links
             where client_id = $2 and stream_id in (select id from streams where user_id = $1)),
           -- The next epoch ends a scan that is running.
           held as (
             update sources set due_at = 'infinity', lease_expires_at = null, epoch = epoch + 1, reason = $3
             where user_id = $1 and client_id = $2),
           -- The application may be connected again, so it must not be deleted at once as unused.
           used as (update oauth_clients set updated_at = now() where client_id = $2),
           ended as (
             table consents union all table refresh union all table opaque union all table codes
             union all table devices)
         insert into token_revocations (user_id, client_id) select $1, $2 where exists (table ended)`,
        [userID, clientID, sourceHeld],
      );
      return (rowCount ?? 0) > 0;
    },
  };
}
