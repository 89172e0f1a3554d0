// SQL of granted requests of guests, which are kept until the waits that follow from them are over.
// Decision D232.
import type { RequestPolicy, RequestWaits } from '../../domain/programme/guest-requests.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export function guestRequests(db: Queryable) {
  return {
    /** The ends of the waits of a guest of a stream. */
    waits: async (streamID: string, guest: Buffer, { perHour, perGuestMinutes }: RequestPolicy) =>
      (await one<{ [Wait in keyof RequestWaits]: Date | null }>(
        db,
        `select
           (select granted_at + interval '1 hour' from guest_requests
            where stream_id = $1 and granted_at > now() - interval '1 hour'
            order by granted_at desc offset $3 - 1 limit 1) as channel,
           (select max(granted_at) + make_interval(mins => $4) from guest_requests
            where stream_id = $1 and guest = $2 and granted_at > now() - make_interval(mins => $4)) as guest`,
        [streamID, guest, perHour, perGuestMinutes],
      ))!,

    add: (streamID: string, guest: Buffer, keptMinutes: number) =>
      db.query(
        `insert into guest_requests (stream_id, guest, forget_at)
         values ($1, $2, now() + make_interval(mins => $3))`,
        [streamID, guest, keptMinutes],
      ),

    deleteEnded: () => db.query('delete from guest_requests where forget_at < now()'),
  };
}
