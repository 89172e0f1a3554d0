// SQL of security events: sign-ins, keys, applications.
// Rows are never changed. They are deleted after a year, or after a day if they belong to no user.
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export type SecurityEventKind =
  | 'signed_up'
  | 'email_verified'
  | 'signed_in'
  | 'sign_in_refused'
  | 'session_ended'
  | 'password_reset_requested'
  | 'password_changed'
  | 'api_key_created'
  | 'api_key_revoked'
  | 'application_connected'
  | 'application_denied'
  | 'application_disconnected'
  | 'refresh_refused'
  | 'token_revoked'
  | 'user_disabled';

export interface SecurityEvent {
  readonly kind: SecurityEventKind;
  readonly clientID: string | null;
  readonly address: string | null;
  readonly userAgent: string | null;
}

export function securityEvents(db: Queryable) {
  return {
    record: (userID: string | null, event: SecurityEvent) =>
      db.query(
        'insert into security_events (user_id, kind, client_id, address, user_agent) values ($1, $2, $3, $4, $5)',
        [userID, event.kind, event.clientID, event.address, event.userAgent],
      ),

    /** The latest events of a user, the latest first. */
    latest: (userID: string, limit: number) =>
      all<{
        kind: SecurityEventKind;
        client_name: string | null;
        address: string | null;
        user_agent: string | null;
        at: Date;
      }>(
        db,
        `select kind, c.name as client_name, address, user_agent, at
         from security_events e left join oauth_clients c using (client_id)
         where e.user_id = $1 order by e.seq desc limit $2`,
        [userID, limit],
      ),
  };
}
