// SQL of joins: which are made, and from when on the run of a stream sends which.
import type { Part } from '../../domain/playout/composition-parts.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface JoinRow {
  readonly name: string;
  readonly part: Part;
  readonly content_hashes: readonly string[];
  readonly state: 'preparing' | 'ready' | 'failed';
}

/** A join that the run of a stream is to send. */
export type WantedJoin = Pick<JoinRow, 'name' | 'part' | 'content_hashes'>;

/** Of what was made for a run so many are remembered besides those of the next minutes. */
const mostNoted = 300;
/** SQL of the condition that the join `j` has to be asked for again: whoever makes it takes a minute. */
const isToBeAsked = `(j.state = 'preparing' and j.asked_at < now() - interval '10 minutes'
  or j.state = 'failed' and j.asked_at < now() - interval '1 hour')`;
/** SQL of the condition that it has to be noted of the join `j` that somebody wants it: see `forgetOld`. */
const isToBeNoted = `j.state = 'ready' and j.asked_at < now() - interval '1 hour'`;

export function joins(db: Queryable) {
  return {
    /**
     * Notes which joins a run is to send in the next minutes, and forgets others that it waits for.
     * @returns the names of those for which a command has to be sent
     */
    request: async (streamID: string, wanted: readonly WantedJoin[]): Promise<Set<string>> => {
      const names = wanted.map(({ name }) => name);
      await db.query(
        `with noted as (
           select name, from_seconds, row_number() over (order by from_seconds desc nulls first) as place
           from timeline_joins where stream_id = $1 and name <> all ($2))
         delete from timeline_joins t using noted n
         where t.stream_id = $1 and t.name = n.name and (n.from_seconds is null or n.place > ${mostNoted})`,
        [streamID, names],
      );
      const asked = await all<Pick<JoinRow, 'name' | 'state'>>(
        db,
        `insert into joins as j (name, part, content_hashes)
           select name, part, content_hashes
           from jsonb_to_recordset($1) as wanted (name text, part jsonb, content_hashes text[]) order by name
         on conflict (name) do update set asked_at = now(),
           state = case j.state when 'ready' then 'ready' else 'preparing' end
         where ${isToBeAsked} or ${isToBeNoted}
         returning name, state`,
        [JSON.stringify(wanted)],
      );
      const toMake = asked.flatMap(({ name, state }) => (state === 'preparing' ? [name] : []));
      // What is made anew, as it was lost or forgotten, is not sent before it is there.
      await db.query(
        `insert into timeline_joins as t (stream_id, name) select $1, unnest($2::text[])
         on conflict (stream_id, name) do update set from_seconds = null where t.name = any ($3)`,
        [streamID, names, toMake],
      );
      return new Set(toMake);
    },

    /** What has become of joins; those that nobody has asked for are not in it. */
    statesOf: async (names: readonly string[]): Promise<Map<string, JoinRow['state']>> => {
      const rows = await all<Pick<JoinRow, 'name' | 'state'>>(
        db,
        'select name, state from joins where name = any ($1)',
        [names],
      );
      return new Map(rows.map(({ name, state }) => [name, state]));
    },

    /**
     * Lets a run send what is made of its joins, from a time of it on, and notes how many are left.
     * @param isAny whether what is played has joins
     */
    scheduleFinished: async (streamID: string, fromSeconds: number, isAny: boolean): Promise<void> => {
      // Who has just made one of them waits for this lock, and then sees who waits for it.
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

    /** From when on the run of a stream sends which join, in seconds after its anchor. */
    ofRun: async (streamID: string): Promise<Map<string, number>> => {
      const rows = await all<{ name: string; from_seconds: number }>(
        db,
        'select name, from_seconds from timeline_joins where stream_id = $1 and from_seconds is not null',
        [streamID],
      );
      return new Map(rows.map((row) => [row.name, row.from_seconds]));
    },

    find: (name: string) => one<JoinRow>(db, 'select * from joins where name = $1', [name]),

    /** Notes what has become of a join. */
    finish: (name: string, state: 'ready' | 'failed') =>
      db.query(`update joins set state = $2, asked_at = now() where name = $1`, [name, state]),

    /** Has a join made again whose object is damaged or gone. @returns false where somebody does so already */
    prepareAgain: async (name: string): Promise<boolean> =>
      (await one(
        db,
        `update joins set state = 'preparing', asked_at = now() where name = $1 and state = 'ready' returning true`,
        [name],
      )) !== null,

    /** Ids of the streams whose run waits for a join. */
    waitingFor: async (name: string) => {
      const rows = await all<{ id: string }>(
        db,
        'select stream_id as id from timeline_joins where name = $1 and from_seconds is null order by stream_id',
        [name],
      );
      return rows.map(({ id }) => id);
    },

    /** Forgets a join that is not made yet, where no stream on the air wants it any more. @returns whether it does */
    dropUnwanted: async (name: string): Promise<boolean> => {
      // Whoever wants it meanwhile has locked it, and the next statement sees that.
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
     * Forgets joins that no run has wanted for two days, or for two hours if they are rare: those are many and large.
     * @returns their names, as their objects are to be deleted
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

    /** Forgets joins in which a content is heard. @returns their names, as their objects are to be deleted */
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
