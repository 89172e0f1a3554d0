// Connects a process of the local run to everything around it: the counterpart of lambda/ports/aws.ts on one machine.
import { createPool } from '../../lambda/data/queryable.ts';
import type { Log } from '../../lambda/log.ts';
import type { Connections } from '../../lambda/ports/aws.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import type { Timers } from '../../lambda/ports/timers/timers.ts';
import { createOutboxTimers } from '../../lambda/ports/timers/outbox-timers.ts';

export interface LocalConnectionsOptions {
  readonly databaseURL: string;
  readonly serviceSecret: string;
  readonly objectsFolder: string;
  /** http://127.0.0.1:PORT */
  readonly siteURL: string;
}

export interface LocalConnections extends Connections {
  readonly objects: FileObjectStore;
  readonly timers: Timers;
}

/** Where the site serves objects. */
export const objectsPath = '/objects';

export function connectLocally(options: LocalConnectionsOptions, connections: number, log: Log): LocalConnections {
  const { databaseURL, serviceSecret, objectsFolder, siteURL } = options;
  const pool = createPool({ connectionString: databaseURL, max: connections });
  return {
    pool,
    serviceSecret,
    origin: siteURL,
    objects: createFileObjectStore({ folder: objectsFolder, baseURL: siteURL + objectsPath, signingKey: `objects ${serviceSecret}` }),
    queue: createPostgresCommandQueue({ pool, log }),
    timers: createOutboxTimers(pool),
    sealer: createSealer(serviceSecret),
  };
}

/** Users may stream to, and import from, this machine, and call as often as it can bear. */
export const localSettings = { allowPrivateAddresses: true, rateLimitFactor: 100 } as const;
