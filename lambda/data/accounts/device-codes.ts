// SQL of the codes that users confirm for devices. better-auth makes and redeems them.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface DeviceRequest {
  readonly client_id: string;
  readonly client_name: string | null;
  readonly scope: string;
  readonly expires_at: Date;
}

export function deviceCodes(db: Queryable) {
  return {
    /** The request that waits for an answer; null: there is no such code, or it has expired or been answered. */
    pending: (userCode: string, now: Date) =>
      one<DeviceRequest>(
        db,
        `select d.client_id, c.name as client_name, coalesce(d.scope, '') as scope, d.expires_at
         from device_codes d join oauth_clients c using (client_id)
         where d.user_code = $1 and d.status = 'pending' and d.expires_at > $2`,
        [userCode, now],
      ),

    /** @returns the application; null: there is no such request any more */
    deny: async (userCode: string, userID: string, now: Date) => {
      const denied = await one<{ client_id: string }>(
        db,
        `update device_codes set status = 'denied', user_id = $2
         where user_code = $1 and status = 'pending' and expires_at > $3 returning client_id`,
        [userCode, userID, now],
      );
      return denied?.client_id ?? null;
    },

    /**
     * Approves a request, with the user's consent to the application, in place of an earlier consent.
     * @returns the application; null: there is no such request any more
     */
    approve: async (userCode: string, userID: string, consentID: string, now: Date) => {
      const approved = await one<{ client_id: string }>(
        db,
        `with approved as (
           update device_codes set status = 'approved', user_id = $2
           where user_code = $1 and status = 'pending' and expires_at > $4
           returning client_id, scope, resources),
         replaced as (
           delete from oauth_consents where user_id = $2 and client_id in (select client_id from approved)),
         consent as (
           insert into oauth_consents (id, client_id, user_id, scopes, resources, created_at, updated_at)
           select $3, client_id, $2, to_jsonb(string_to_array(coalesce(scope, ''), ' ')), resources, $4, $4
           from approved)
         select client_id from approved`,
        [userCode, userID, consentID, now],
      );
      return approved?.client_id ?? null;
    },

    /**
     * Counts an attempt of a user to enter a code.
     * @returns the attempts since the window began, with this one
     */
    countAttempt: async (id: string, userID: string, windowMs: number, now: Date) => {
      const counted = await one<{ count: number }>(
        db,
        `insert into auth_rate_limits as l (id, key, count, last_request) values ($1, 'device|' || $2, 1, $4)
         on conflict (key) do update set
           count = case when l.last_request < $4::bigint - $3::bigint then 1 else l.count + 1 end,
           last_request = case when l.last_request < $4::bigint - $3::bigint then $4 else l.last_request end
         returning count`,
        [id, userID, windowMs, now.getTime()],
      );
      return counted!.count;
    },
  };
}
