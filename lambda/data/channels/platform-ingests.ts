// SQL of the ingests of managed streams on platforms. Their keys are sealed.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface PlatformIngest {
  readonly stream_id: string;
  readonly connection_id: string;
  /** The id at the platform; null: the platform has one ingest per channel. */
  readonly external_id: string | null;
  readonly url: string;
  readonly backup_url: string | null;
  readonly sealed_key: Buffer;
}

export function platformIngests(db: Queryable) {
  return {
    find: (streamID: string) =>
      one<PlatformIngest>(db, 'select * from platform_ingests where stream_id = $1', [streamID]),

    /** Deletes an ingest that the platform no longer has. */
    delete: (streamID: string) => db.query('delete from platform_ingests where stream_id = $1', [streamID]),

    save: (ingest: PlatformIngest) =>
      db.query(
        `insert into platform_ingests (stream_id, connection_id, external_id, url, backup_url, sealed_key)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (stream_id) do update set connection_id = excluded.connection_id,
           external_id = excluded.external_id, url = excluded.url, backup_url = excluded.backup_url,
           sealed_key = excluded.sealed_key`,
        [ingest.stream_id, ingest.connection_id, ingest.external_id, ingest.url, ingest.backup_url, ingest.sealed_key],
      ),
  };
}
