// SQL of places: they limit how many transactions do the same work at once while hundreds of agents try to.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

/**
 * Recovering the replicas of dead agents, reporting those that other agents have taken over, and firing what is due, by
 * kind.
 */
export type WorkInPlaces = 'recovery' | 'takeover' | 'starts' | 'ends' | 'checks' | 'items' | 'plans' | 'accounts';

export interface Place {
  readonly number: number;
  /** The number of places. */
  readonly outOf: number;
}

/** How long a holder keeps its place between two transactions, and others wait if it dies. */
const keptSeconds = 2;

/** SQL condition: the place has no holder. */
export const isPlaceFree = '(held_until is null or held_until < clock_timestamp())';

/** SQL condition: a place is free to recover the replicas of dead agents. */
export const isRecoveryPlaceFree = `exists (select from places where work = 'recovery' and ${isPlaceFree})`;

/**
 * SQL expression: until the transaction ends, Postgres plans prepared statements for any values. By default it plans
 * each one for its values the first five times on each connection. In a recovery of many streams, which is over by
 * then, that was a sixth of the work of the database.
 */
const plansOnce = `set_config('plan_cache_mode', 'force_generic_plan', true)`;

export function places(db: Queryable) {
  return {
    /**
     * Takes one place of a kind of work until the transaction ends. The table has a few places per core of the
     * database: more transactions at once slow each other down. A place is a row lock, which a proxy in front of the
     * database ties to the transaction.
     * @returns the time of the database; null if no place is free
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
     * Takes a place, and keeps it for the next transaction of the same holder.
     * @param holder a name that no other process has
     * @param except numbers of places that it has no more work for
     * @returns null if no place is free
     */
    keep: (work: WorkInPlaces, holder: string, except: readonly number[] = []) =>
      one<Place>(
        db,
        {
          name: 'keep_place',
          text: `update places set holder = $2, held_until = clock_timestamp() + make_interval(secs => ${keptSeconds})
           where work = $1 and number = (
             select number from places
             where work = $1 and (holder = $2 or ${isPlaceFree}) and number <> all ($3)
             order by holder is distinct from $2 limit 1 for update skip locked)
           returning number, (select count(*)::int from places where work = $1) as "outOf", ${plansOnce}`,
        },
        [work, holder, except],
      ),

    /** Frees the place of a holder, if it has one. */
    leave: (work: WorkInPlaces, holder: string) =>
      db.query('update places set held_until = null where work = $1 and holder = $2', [work, holder]),
  };
}
