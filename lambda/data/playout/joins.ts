// SQL of joins: their preparation, and their start times in the runs of streams.
import type { Part } from '../../domain/playout/composition-parts.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface JoinRow {
  readonly name: string;
  readonly part: Part;
  readonly content_hashes: readonly string[];
  readonly state: 'preparing' | 'ready' | 'failed';
}

/** A join that the run of a stream needs. */
export type WantedJoin = Pick<JoinRow, 'name' | 'part' | 'content_hashes'>;

/** The most joins that are stored for a run beyond those of the next minutes. */
const mostScheduled = 300;
/** SQL condition: the join `j` needs another command. A worker takes a minute to prepare one. */
const needsCommand = `(j.state = 'preparing' and j.asked_at < now() - interval '10 minutes'
  or j.state = 'failed' and j.asked_at < now() - interval '1 hour')`;
/** SQL condition: the use of the join `j` has to be recorded again: see `forgetOld`. */
const needsRecord = `j.state = 'ready' and j.asked_at < now() - interval '1 hour'`;

export function joins(db: Queryable) {
  return {
    /**
     * Stores the joins that a run needs in the next minutes, and deletes others that it waits for.
     * @returns the names of the joins that need a command
     */
    request: async (streamID: string, wanted: readonly WantedJoin[]): Promise<Set<string>> => {
      const names = wanted.map(({ name }) => name);
      await db.query(
        `with others as (
           select name, from_seconds, row_number() over (order by from_seconds desc nulls first) as place
           from timeline_joins where stream_id = $1 and name <> all ($2))
         delete from timeline_joins t using others o
         where t.stream_id = $1 and t.name = o.name and (o.from_seconds is null or o.place > ${mostScheduled})`,
        [streamID, names],
      );
      const asked = await all<Pick<JoinRow, 'name' | 'state'>>(
        db,
        `insert into joins as j (name, part, content_hashes)
           select name, part, content_hashes
           from jsonb_to_recordset($1) as wanted (name text, part jsonb, content_hashes text[]) order by name
         on conflict (name) do update set asked_at = now(),
           state = case j.state when 'ready' then 'ready' else 'preparing' end
         where ${needsCommand} or ${needsRecord}
         returning name, state`,
        [JSON.stringify(wanted)],
      );
      const toMake = asked.flatMap(({ name, state }) => (state === 'preparing' ? [name] : []));
      // A join that is prepared again, as it was lost or deleted, is not sent until it is ready.
      await db.query(
        `insert into timeline_joins as t (stream_id, name) select $1, unnest($2::text[])
         on conflict (stream_id, name) do update set from_seconds = null where t.name = any ($3)`,
        [streamID, names, toMake],
      );
      return new Set(toMake);
    },

    /** The states of joins by name. Joins without a request are absent. */
    statesOf: async (names: readonly string[]): Promise<Map<string, JoinRow['state']>> => {
      const rows = await all<Pick<JoinRow, 'name' | 'state'>>(
        db,
        'select name, state from joins where name = any ($1)',
        [names],
      );
      return new Map(rows.map(({ name, state }) => [name, state]));
    },

    /**
     * Lets a run send its finished joins from a time on, and records the number of unfinished ones in the stream.
     * @param fromSeconds after the anchor of the run
     * @param isAny whether any item of the timeline has joins
     */
    scheduleFinished: async (streamID: string, fromSeconds: number, isAny: boolean): Promise<void> => {
      // A worker that has just finished one of them waits for this lock, and then sees that the stream waits for it.
      await db.query(
        `select from joins where name in (select name from timeline_joins where stream_id = $1 and from_seconds is null)
         order by name for share`,
        [streamID],
      );
      await db.query(
        `with taken as (
           update timeline_joins t set from_seconds = $2 from joins j
           where t.stream_id = $1 and t.from_seconds is null and j.name = t.name and j.state = 'ready'
           returning t.name),
         noted as (
           update streams set pending_joins = case when $3 then (
             select count(*) from timeline_joins where stream_id = $1 and from_seconds is null
               and name not in (select name from taken)) end
           where id = $1)
         update replicas set timeline_revision = timeline_revision + 1
         where stream_id = $1 and exists (select from taken)`,
        [streamID, fromSeconds, isAny],
      );
    },

    /** The start times of the joins of a run, in seconds after its anchor, by name. */
    ofRun: async (streamID: string): Promise<Map<string, number>> => {
      const rows = await all<{ name: string; from_seconds: number }>(
        db,
        'select name, from_seconds from timeline_joins where stream_id = $1 and from_seconds is not null',
        [streamID],
      );
      return new Map(rows.map((row) => [row.name, row.from_seconds]));
    },

    find: (name: string) => one<JoinRow>(db, 'select * from joins where name = $1', [name]),

    /** Records the result of the preparation of a join. */
    finish: (name: string, state: 'ready' | 'failed') =>
      db.query(`update joins set state = $2, asked_at = now() where name = $1`, [name, state]),

    /** Requests a join again whose object is damaged or missing. @returns false if it is already requested */
    prepareAgain: async (name: string): Promise<boolean> =>
      (await one(
        db,
        `update joins set state = 'preparing', asked_at = now() where name = $1 and state = 'ready' returning true`,
        [name],
      )) !== null,

    /** Ids of the streams that wait for a join. */
    waitingFor: async (name: string) => {
      const rows = await all<{ id: string }>(
        db,
        'select stream_id as id from timeline_joins where name = $1 and from_seconds is null order by stream_id',
        [name],
      );
      return rows.map(({ id }) => id);
    },

    /** Deletes an unfinished join that no stream on the air needs any more. @returns whether it was deleted */
    dropUnwanted: async (name: string): Promise<boolean> => {
      // A stream that requests it meanwhile has locked it, and the next statement sees that.
      await db.query('select from joins where name = $1 for update', [name]);
      const { rowCount } = await db.query(
        `delete from joins where name = $1 and state = 'preparing' and not exists (
           select from timeline_joins t join streams s on s.id = t.stream_id
           where t.name = $1 and s.state in ('preparing', 'activating', 'active', 'failing'))`,
        [name],
      );
      return rowCount! > 0;
    },

    /**
     * Deletes joins that no run has needed for two days, or for two hours if they are rare: those are many and large.
     * @returns their names, to delete their objects
     */
    forgetOld: async (most: number) => {
      const forget = async (isOld: string) => {
        const rows = await all<Pick<JoinRow, 'name'>>(
          db,
          `delete from joins where name in (
             select name from joins where ${isOld} order by asked_at limit $1 for update skip locked)
           returning name`,
          [most],
        );
        return rows.map(({ name }) => name);
      };
      return [
        ...(await forget(`asked_at < now() - interval '2 days'`)),
        ...(await forget(`part ? 'isRare' and asked_at < now() - interval '2 hours'`)),
      ];
    },

    /** Deletes joins that contain a content. @returns their names, to delete their objects */
    forgetOf: async (contentHash: string) => {
      const rows = await all<Pick<JoinRow, 'name'>>(
        db,
        'delete from joins where content_hashes @> array[$1] returning name',
        [contentHash],
      );
      return rows.map(({ name }) => name);
    },
  };
}
