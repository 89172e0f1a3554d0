// SQL of joins of sound: which are made, and from when on the run of a stream sends which.
import type { JoinRecipe } from '../domain/sound-joins.ts';
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export interface JoinRow {
  readonly name: string;
  readonly recipe: JoinRecipe;
  readonly content_hashes: readonly string[];
  readonly state: 'preparing' | 'ready' | 'failed';
}

/** A join that the run of a stream is to send. */
export type WantedJoin = Pick<JoinRow, 'name' | 'recipe' | 'content_hashes'>;

/** Of what was made for a run so many are remembered besides those of the next minutes. */
const mostNoted = 300;
/** SQL of the condition that the join `j` has to be asked for again: whoever makes it takes a minute. */
const isToBeAsked = `(j.state = 'preparing' and j.asked_at < now() - interval '10 minutes'
  or j.state = 'failed' and j.asked_at < now() - interval '1 hour')`;
/** SQL of the condition that the join `j` is needed no more: a content is gone, or no run has sent it for long. */
const isNeedless = `(not exists (select from timeline_joins t where t.name = j.name)
    and j.asked_at < now() - interval '2 days'
  or exists (select from unnest(j.content_hashes) as hash where not exists (
    select from uploads u where u.content_hash = hash)))`;

export function joins(db: Queryable) {
  return {
    /**
     * Notes which joins a run is to send in the next minutes, and forgets others that it waits for.
     * @returns the names of those for which a command has to be sent
     */
    want: async (streamID: string, wanted: readonly WantedJoin[]): Promise<Set<string>> => {
      const names = wanted.map(({ name }) => name);
      await db.query(
        `with noted as (
           select name, from_seconds, row_number() over (order by from_seconds desc nulls first) as place
           from timeline_joins where stream_id = $1 and name <> all ($2))
         delete from timeline_joins t using noted n
         where t.stream_id = $1 and t.name = n.name and (n.from_seconds is null or n.place > ${mostNoted})`,
        [streamID, names],
      );
      const asked = await all<Pick<JoinRow, 'name'>>(
        db,
        `insert into joins as j (name, recipe, content_hashes)
           select name, recipe, content_hashes
           from jsonb_to_recordset($1) as wanted (name text, recipe jsonb, content_hashes text[]) order by name
         on conflict (name) do update set state = 'preparing', asked_at = now() where ${isToBeAsked}
         returning name`,
        [JSON.stringify(wanted)],
      );
      await db.query(
        'insert into timeline_joins (stream_id, name) select $1, unnest($2::text[]) on conflict do nothing',
        [streamID, names],
      );
      return new Set(asked.map(({ name }) => name));
    },

    /**
     * Lets a run send what is made of its joins, from a time of it on, and notes how many are left.
     * @param isAny whether what is played has joins
     */
    takeUp: async (streamID: string, fromSeconds: number, isAny: boolean): Promise<void> => {
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
    settle: (name: string, state: 'ready' | 'failed') =>
      db.query(`update joins set state = $2, asked_at = now() where name = $1`, [name, state]),

    /** Has a join made again whose object is damaged or gone. @returns false where somebody does so already */
    lose: async (name: string): Promise<boolean> =>
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

    /** Joins that are needed no more. */
    needless: async (count: number) => {
      const rows = await all<Pick<JoinRow, 'name'>>(
        db,
        `select name from joins j where ${isNeedless} order by asked_at limit $1`,
        [count],
      );
      return rows.map(({ name }) => name);
    },

    /** Forgets a join, whose object is deleted. */
    remove: (name: string) => db.query('delete from joins where name = $1', [name]),
  };
}
