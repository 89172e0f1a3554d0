// SQL of the encoders of renditions: one kind makes all segments of a rendition while workers of the kind exist.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/**
 * A kind of encoder counts as gone if a rendition has waited for it and no worker of the kind was seen for so long.
 * A worker is seen when it takes a command, so this is longer than a command may take.
 */
const goneAfter = '15 minutes';
/** The shortest time between two records that a kind was seen. */
const seenEvery = '1 minute';

export function renditionEncoders(db: Queryable) {
  return {
    /** Records that a worker with this kind of encoder takes commands. */
    recordSeen: (kind: string) =>
      db.query(
        `insert into encoders as e (kind) values ($1) on conflict (kind) do update set seen_at = now()
           where e.seen_at < now() - interval '${seenEvery}'`,
        [kind],
      ),

    /**
     * Records that a worker of another kind came to a rendition that this kind has begun.
     * @returns whether the kind is gone
     */
    recordMissing: async (contentHash: string, format: string, kind: string) =>
      (
        await one<{ is_gone: boolean }>(
          db,
          `update renditions r set updated_at = now(), encoder_missed_since = coalesce(encoder_missed_since, now())
           where content_hash = $1 and format = $2 and encoder = $3
           returning encoder_missed_since < now() - interval '${goneAfter}' and not exists (
             select from encoders e
             where e.kind = r.encoder and e.seen_at > now() - interval '${goneAfter}') as is_gone`,
          [contentHash, format, kind],
        )
      )?.is_gone ?? false,

    /** Restarts a rendition with another kind. @returns false if another worker has restarted it already */
    restart: async (contentHash: string, format: string, { from, to }: { readonly from: string; to: string }) => {
      const row = await one(
        db,
        `update renditions
         set encoder = $4, encoder_missed_since = null, segments_written = greatest(segments_written, segments_done),
           segments_done = 0, state = 'preparing', updated_at = now()
         where content_hash = $1 and format = $2 and encoder = $3 returning true`,
        [contentHash, format, from, to],
      );
      return row !== null;
    },
  };
}
