// SQL of previews of encoded streams: the streams that are watched, and the last pieces that were sent.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** How long a preview counts as watched after a request. Players request it more often. */
const lookedAtSeconds = 30;
/** The time in which a replica usually reconnects or moves to another agent. */
const awaitedSeconds = 10;
/** The number of pieces that are kept. */
const keptPieces = 6;

/** A part of the sent media of a stream, from one keyframe to before another. */
export interface EncodedPiece {
  /** The key of the object that holds it. */
  readonly key: string;
  /** The key of the header that comes before all pieces of the same encoding. */
  readonly headerKey: string;
  /** The number of its first frame after the anchor. */
  readonly frame: number;
  readonly frameCount: number;
}

export interface NumberedPiece extends EncodedPiece {
  /**
   * Increases by one from piece to piece, also across agents. The first is the seconds since 1970. Pieces are rarely
   * shorter than a second, so that players never see lower numbers after the known pieces were deleted.
   */
  readonly number: number;
}

/** A watched stream, and the replica whose agent makes its preview. */
export interface LookedAtReplica {
  readonly streamID: string;
  readonly replicaID: string;
  /** The role of the replica, which names its encoder. */
  readonly role: string;
}

/** SQL condition: the replica of a row stays the watched one. */
const isKept = `exists (
  select from replicas r where r.id = p.replica_id and r.wanted <> 'ended' and (
    r.state = 'live' or coalesce(r.failing_since, r.since) > now() - interval '${awaitedSeconds} s'))`;

export function previews(db: Queryable) {
  return {
    /**
     * Records that a stream is watched. The watched replica stays while it is live, or was live a moment ago. Pieces of
     * another replica, or from an earlier preview, are deleted.
     * @param replicaID the replica to watch if none stays
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

    /** Adds a piece if its replica is still the watched one. @returns whether it is */
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

    /** Deletes previews that are no longer watched. */
    forget: () => db.query(`delete from stream_previews where looked_at_until < now() - interval '1 minute'`),
  };
}
