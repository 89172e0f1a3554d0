// SQL of leases of connections: one worker at a time refreshes the grant of a connection and makes its broadcasts.
import type { ConnectionState } from '../../domain/channels/managed-platforms.ts';
import type { Connection as FullConnection } from './connections.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** A connection without the columns from other tables. */
export type LeasedConnection = Omit<FullConnection, 'destination_id' | 'quota_exhausted_until'>;

export function connectionLeases(db: Queryable) {
  return {
    /**
     * Leases a connection to a worker until a time, or extends its lease.
     * @param token identifies the lease of the worker
     * @returns false if another worker has it, or it does not exist
     */
    lease: async (id: string, token: string, now: Date, until: Date) =>
      (await one(
        db,
        `update connections set leased_until = $4, lease_token = $2
         where id = $1 and (leased_until is null or leased_until < $3 or lease_token = $2) returning id`,
        [id, token, now, until],
      )) !== null,

    /** The connection, locked; null if the worker has lost its lease. */
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

    /** Stores a refreshed grant. @returns false if the worker has lost its lease */
    saveGrant: async (id: string, token: string, sealedGrant: Buffer) =>
      (await one(db, 'update connections set sealed_grant = $3 where id = $1 and lease_token = $2 returning id', [
        id,
        token,
        sealedGrant,
      ])) !== null,

    /** Records the state that the platform reported. @param problem in words; null: none */
    setState: (id: string, state: ConnectionState, problem: string | null) =>
      db.query('update connections set state = $2, problem = $3 where id = $1', [id, state, problem]),
  };
}
