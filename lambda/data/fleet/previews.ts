// SQL of previews of encoded streams: who is looked at, and the last pieces of what was sent.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** Whoever looks says so more often. */
const lookedAtSeconds = 30;
/** A replica that reconnects, or goes to another agent, is usually there again by then. */
const awaitedSeconds = 10;
/** So many pieces are known. */
const keptPieces = 6;

/** A stretch of what a stream sent, from one keyframe to before another. */
export interface EncodedPiece {
  /** The key of the object that holds it. */
  readonly key: string;
  /** The key of what comes before all pieces like it. */
  readonly headerKey: string;
  /** Of its first picture, counted from the anchor. */
  readonly frame: number;
  readonly frameCount: number;
}

export interface NumberedPiece extends EncodedPiece {
  /**
   * Grows by one from piece to piece, whoever writes it. The first has the seconds since 1970, and hardly a piece is
   * shorter than a second: where what was known is forgotten, players see no lower numbers than before.
   */
  readonly number: number;
}

/** A stream that is looked at, and the replica whose agent is to show it. */
export interface LookedAtReplica {
  readonly streamID: string;
  readonly replicaID: string;
  /** Of the replica: its encoder is named by it. */
  readonly role: string;
}

/** SQL of whether the replica of a row goes on being looked at. */
const isKept = `exists (
  select from replicas r where r.id = p.replica_id and r.wanted <> 'ended' and (
    r.state = 'live' or coalesce(r.failing_since, r.since) > now() - interval '${awaitedSeconds} s'))`;

export function previews(db: Queryable) {
  return {
    /**
     * Says that somebody looks at a stream. The replica that was looked at before is kept while it is live, or was a
     * moment ago. What is known of another one, or from an earlier look, is forgotten.
     * @param replicaID the one to look at where none is kept
     * @returns the last pieces
     */
    look: async (streamID: string, replicaID: string): Promise<NumberedPiece[]> => {
      const row = await one<{ pieces: NumberedPiece[] }>(
        db,
        `insert into stream_previews as p (stream_id, replica_id, looked_at_until)
         values ($1, $2, now() + make_interval(secs => $3))
         on conflict (stream_id) do update set
           replica_id = case when ${isKept} then p.replica_id else excluded.replica_id end,
           looked_at_until = excluded.looked_at_until,
           pieces = case when p.looked_at_until >= now() and (p.replica_id = excluded.replica_id or ${isKept})
             then p.pieces else '[]' end
         returning pieces`,
        [streamID, replicaID, lookedAtSeconds],
      );
      return row!.pieces;
    },

    /** The last pieces. */
    known: async (streamID: string): Promise<NumberedPiece[]> => {
      const text = 'select pieces from stream_previews where stream_id = $1';
      return (await one<{ pieces: NumberedPiece[] }>(db, text, [streamID]))?.pieces ?? [];
    },

    /** Adds a piece, where the replica is still the one that is looked at. @returns whether it is */
    add: async (streamID: string, replicaID: string, piece: EncodedPiece): Promise<boolean> => {
      const { rowCount } = await db.query(
        `update stream_previews p set pieces = (
           select jsonb_agg(piece order by place) from (
             select piece, place from jsonb_array_elements(p.pieces || ($3::jsonb || jsonb_build_object(
               'number', coalesce((p.pieces -> -1 ->> 'number')::bigint + 1, extract(epoch from now())::bigint))))
               with ordinality as known (piece, place)
             order by place desc limit $4) last)
         where stream_id = $1 and replica_id = $2`,
        [streamID, replicaID, JSON.stringify(piece), keptPieces],
      );
      return rowCount === 1;
    },

    /** Forgets streams at which nobody looks any more. */
    forget: () => db.query(`delete from stream_previews where looked_at_until < now() - interval '1 minute'`),
  };
}
