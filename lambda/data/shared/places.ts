// SQL of places: how many transactions do the same work at the same time, where hundreds of agents want to.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

/** Freeing what dead agents hold, and reporting what others have taken over of it. */
type WorkInPlaces = 'recovery' | 'takeover';

export interface Place {
  readonly number: number;
  /** How many places there are. */
  readonly outOf: number;
}

/** So long a holder keeps its place between two of its transactions. If it has died, others wait for so long. */
const keptSeconds = 2;

/** SQL: whether nobody keeps a place. */
const isPlaceFree = '(held_until is null or held_until < clock_timestamp())';

/** SQL: whether there is a place for one more that frees what dead agents hold. */
export const isRecoveryPlaceFree = `exists (select from places where work = 'recovery' and ${isPlaceFree})`;

/**
 * SQL: has Postgres plan statements that are prepared for any values, until the transaction ends. It would plan each of
 * them for its values the first five times on each connection, and a storm is over by then: that was a sixth of what
 * the database did in one.
 */
const plansOnce = `set_config('plan_cache_mode', 'force_generic_plan', true)`;

export function places(db: Queryable) {
  return {
    /**
     * Takes one of the places of a kind of work until the transaction ends. How many there are stands in the table: a
     * few for each core of the database. With more at once they get in each other's way, and all take longer. A place
     * is a row's lock, which a proxy in front of the database knows to belong to the transaction.
     * @returns the database's time; null where no place is free
     */
    take: async (work: WorkInPlaces): Promise<Date | null> =>
      (
        await one<{ now: Date }>(
          db,
          {
            name: 'take_place',
            text: `select clock_timestamp() as now, ${plansOnce} from places where work = $1
             limit 1 for update skip locked`,
          },
          [work],
        )
      )?.now ?? null,

    /**
     * Takes a place likewise, and keeps it for the next transaction of the same holder.
     * @param holder any name that no other process has
     */
    keep: (work: WorkInPlaces, holder: string) =>
      one<Place>(
        db,
        {
          name: 'keep_place',
          text: `update places set holder = $2, held_until = clock_timestamp() + make_interval(secs => ${keptSeconds})
           where work = $1 and number = (
             select number from places
             where work = $1 and (holder = $2 or ${isPlaceFree})
             order by holder is distinct from $2 limit 1 for update skip locked)
           returning number, (select count(*)::int from places where work = $1) as "outOf", ${plansOnce}`,
        },
        [work, holder],
      ),

    /** Leaves the place that a holder keeps, if any. */
    leave: (work: WorkInPlaces, holder: string) =>
      db.query('update places set held_until = null where work = $1 and holder = $2', [work, holder]),
  };
}
