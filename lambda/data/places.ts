// SQL of places: how many transactions do the same work at the same time, where hundreds of agents want to.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

/** Freeing what dead agents hold, and reporting what others have taken over of it. */
type WorkInPlaces = 'recovery' | 'takeover';

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
            text: 'select clock_timestamp() as now from places where work = $1 limit 1 for update skip locked',
          },
          [work],
        )
      )?.now ?? null,
  };
}
