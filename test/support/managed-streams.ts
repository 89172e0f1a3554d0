// Channels and ingests of tests, as consent and the mirror's worker store them, without a platform.
import { databaseOn } from '../../lambda/data/database.ts';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { ingestKeyPlace } from '../../lambda/domain/shared/sealed-places.ts';
import type { ConnectionState } from '../../lambda/domain/channels/managed-platforms.ts';
import type { Actors } from './actors.ts';
import type { TestService } from './service.ts';

export interface TestIngest {
  readonly url: string;
  readonly backupURL: string | null;
  readonly key: string;
}

export function managedActors(service: TestService, { call, create }: Actors) {
  const connect = async (state: ConnectionState = 'ok'): Promise<string> => {
    const id: string = (await call('POST', '/connections', { platform: 'youtube' })).body.id;
    await databaseOn(service.pool()).connections.connect({
      id,
      state,
      accountID: id,
      title: 'Loops',
      liveURL: 'https://www.youtube.com/channel/loops/live',
      sealedGrant: Buffer.from('no grant'),
      scopes: [],
      grantDays: null,
    });
    return id;
  };
  return {
    /** Connects a channel of the user. @returns the id of the connection */
    connect,

    /** Creates settings of a channel. @returns the reference that a stream uses for the channel */
    onChannel: async (connectionID?: string, more: object = {}) => {
      const managedSettingsID = await create('/managed-settings', {
        connectionID: connectionID ?? (await connect()),
        name: 'x',
        titleTemplate: 'Night radio, {date}',
        privacy: 'unlisted',
        madeForKids: false,
        ...more,
      });
      return { streamDestination: 'managed', managedSettingsID } as const;
    },

    /** Stores the ingest that the platform would have assigned to a stream. */
    storeIngest: async (streamID: string, { url, backupURL, key }: TestIngest): Promise<void> => {
      await service.pool().query(
        `insert into platform_ingests (stream_id, connection_id, external_id, url, backup_url, sealed_key)
         select s.id, m.connection_id, $2, $3, $4, $5
         from streams s join managed_settings m on m.id = s.managed_settings_id where s.id = $1`,
        [
          streamID,
          newID('ext', new Date()),
          url,
          backupURL,
          service.service().sealer.seal(key, ingestKeyPlace(streamID)),
        ],
      );
    },
  };
}
