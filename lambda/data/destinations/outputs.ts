// SQL of outputs of streams. A trigger keeps the first output of a stream equal to its `destination_id`.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface Output {
  readonly id: string;
  readonly stream_id: string;
  readonly destination_id: string;
  readonly name: string | null;
  /** Whether it is sent while its stream is live. */
  readonly enabled: boolean;
  /** Whether it stands for the stream's `destination_id`. Its replicas have no `output_id`. */
  readonly is_first: boolean;
  /** Set if it was removed while live. Users no longer see it; the row is deleted when its replicas have ended. */
  readonly deleted_at: Date | null;
}

export interface NewOutput {
  readonly id: string;
  readonly streamID: string;
  readonly destinationID: string;
  readonly name: string | null;
  readonly enabled: boolean;
}

/** The columns that an update sets. */
export type OutputSettings = Pick<Output, 'name' | 'enabled'>;

/** A live stream that is sent to a destination. */
export interface LiveUse {
  readonly destination_id: string;
  /** The id of the stream. */
  readonly id: string;
  readonly name: string | null;
  readonly started_at: Date | null;
  readonly stream_duration_seconds: number | null;
  readonly schedule_end_at: Date | null;
}

export function outputs(db: Queryable) {
  return {
    /** Makes an output, or restores one with the same destination that is being removed. */
    insert: async (output: NewOutput) =>
      (await one<Output>(
        db,
        `insert into outputs (id, stream_id, destination_id, name, enabled) values ($1, $2, $3, $4, $5)
         on conflict (stream_id, destination_id)
           do update set deleted_at = null, name = excluded.name, enabled = excluded.enabled
         returning *`,
        [output.id, output.streamID, output.destinationID, output.name, output.enabled],
      ))!,

    /** Makes the first output of a stream that has none, and sets the stream's `destination_id`. */
    insertFirst: async ({ streamID, destinationID, name, enabled }: NewOutput) => {
      await db.query('update streams set destination_id = $2, updated_at = now() where id = $1', [
        streamID,
        destinationID,
      ]);
      return (await one<Output>(
        db,
        'update outputs set name = $2, enabled = $3 where stream_id = $1 and is_first returning *',
        [streamID, name, enabled],
      ))!;
    },

    /** An output of this stream that is not being removed. */
    find: (streamID: string, id: string) =>
      one<Output>(db, 'select * from outputs where stream_id = $1 and id = $2 and deleted_at is null', [streamID, id]),

    /** All outputs of these streams, with those that are being removed, the first ones first. */
    allOfStreams: (streamIDs: readonly string[]) =>
      all<Output>(db, 'select * from outputs where stream_id = any ($1) order by is_first desc, seq', [streamIDs]),

    /** The outputs of these streams, without those that are being removed, the first ones first. */
    ofStreams: (streamIDs: readonly string[]) =>
      all<Output>(
        db,
        'select * from outputs where stream_id = any ($1) and deleted_at is null order by is_first desc, seq',
        [streamIDs],
      ),

    /**
     * The live streams that are sent to these destinations. A stream that is about to end is none of them: the next one
     * may start at the time at which it ends.
     */
    liveUses: (destinationIDs: readonly string[]) =>
      all<LiveUse>(
        db,
        `select o.destination_id, s.id, s.name, s.started_at, s.stream_duration_seconds, s.schedule_end_at
         from outputs o join streams s on s.id = o.stream_id
         where o.destination_id = any ($1) and o.enabled and o.deleted_at is null
           and s.state in ('preparing', 'activating', 'active', 'failing') and not exists (
             select from due_times d
             where d.stream_id = s.id and d.kind in ('schedule_end', 'duration_over') and d.due_at <= now())
         order by s.id`,
        [destinationIDs],
      ),

    save: async (id: string, { name, enabled }: OutputSettings) =>
      (await one<Output>(db, 'update outputs set name = $2, enabled = $3 where id = $1 returning *', [
        id,
        name,
        enabled,
      ]))!,

    markDeleted: (id: string) => db.query('update outputs set deleted_at = now() where id = $1', [id]),

    /** Deletes the outputs of a stream that are being removed and have no running replica. */
    forgetDeleted: (streamID: string) =>
      db.query(
        `delete from outputs o where stream_id = $1 and deleted_at is not null
           and not exists (select from replicas where output_id = o.id and state <> 'ended')`,
        [streamID],
      ),

    /** Removes the first output of a stream, and the deprecated key, which would take its place. */
    deleteFirst: (streamID: string) =>
      db.query('update streams set destination_id = null, sealed_stream_key = null, updated_at = now() where id = $1', [
        streamID,
      ]),
  };
}
