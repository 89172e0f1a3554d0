// SQL by which one worker at a time has a connection to a channel: so no two refresh its grant, or make broadcasts.
import type { ConnectionState } from '../../domain/channels/managed-platforms.ts';
import type { Connection as FullConnection } from './connections.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** A connection, without what other tables say of it. */
export type LeasedConnection = Omit<FullConnection, 'destination_id' | 'quota_exhausted_until'>;

export function connectionLeases(db: Queryable) {
  return {
    /**
     * Gives a connection to one worker for a while, or for longer.
     * @param token the worker's own, for this lease
     * @returns false if another worker has it, or it is gone
     */
    lease: async (id: string, token: string, now: Date, until: Date) =>
      (await one(
        db,
        `update connections set leased_until = $4, lease_token = $2
         where id = $1 and (leased_until is null or leased_until < $3 or lease_token = $2) returning id`,
        [id, token, now, until],
      )) !== null,

    /** The connection, locked until the transaction ends; null where the worker has lost it. */
    lockLeased: (id: string, token: string) =>
      one<LeasedConnection>(db, 'select * from connections where id = $1 and lease_token = $2 for no key update', [
        id,
        token,
      ]),

    release: (id: string, token: string) =>
      db.query('update connections set leased_until = null, lease_token = null where id = $1 and lease_token = $2', [
        id,
        token,
      ]),

    /** Keeps a grant that was refreshed. @returns false where the worker has lost the connection */
    saveGrant: async (id: string, token: string, sealedGrant: Buffer) =>
      (await one(db, 'update connections set sealed_grant = $3 where id = $1 and lease_token = $2 returning id', [
        id,
        token,
        sealedGrant,
      ])) !== null,

    /** Notes what the platform said about the connection. @param problem in words; null: nothing is wrong */
    setState: (id: string, state: ConnectionState, problem: string | null) =>
      db.query('update connections set state = $2, problem = $3 where id = $1', [id, state, problem]),
  };
}
