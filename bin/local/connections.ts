// Connects a process of the local run to everything around it: the counterpart of lambda/ports/aws.ts on one machine.
import { readFile } from 'node:fs/promises';
import { createPool } from '../../lambda/data/queryable.ts';
import type { Log } from '../../lambda/log.ts';
import type { Connections } from '../../lambda/ports/aws.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { createFileKeyWrapper } from '../../lambda/ports/sealer/key-wrapper.ts';
import { openSealer } from '../../lambda/ports/sealer/open-sealer.ts';
import { createLocalCryptoProcessor } from '../../lambda/ports/crypto-processor/local-crypto-processor.ts';
import type { LocalCryptoProcessor } from '../../lambda/ports/crypto-processor/local-crypto-processor.ts';
import { createLocalPayment } from '../../lambda/ports/payment/local-payment.ts';
import type { LocalPayment } from '../../lambda/ports/payment/local-payment.ts';
import type { Timers } from '../../lambda/ports/timers/timers.ts';
import { createOutboxTimers } from '../../lambda/ports/timers/outbox-timers.ts';

export interface LocalConnectionsOptions {
  readonly databaseURL: string;
  readonly serviceSecret: string;
  /** File with the 32 bytes that wrap the keys which secrets are sealed with. */
  readonly masterKeyFile: string;
  readonly objectsFolder: string;
  /** http://127.0.0.1:PORT */
  readonly siteURL: string;
  /** Who takes commands here. */
  readonly consumer?: string;
}

export interface LocalConnections extends Connections {
  readonly objects: FileObjectStore;
  readonly payment: LocalPayment;
  readonly crypto: LocalCryptoProcessor;
  readonly timers: Timers;
}

/** Where the site serves objects. */
export const objectsPath = '/objects';
/** Where the site has its checkout page. */
export const checkoutPath = '/checkout';

/** The database is migrated by then. */
export async function connectLocally(
  options: LocalConnectionsOptions,
  connections: number,
  log: Log,
): Promise<LocalConnections> {
  const { databaseURL, serviceSecret, objectsFolder, siteURL } = options;
  const pool = createPool({ connectionString: databaseURL, max: connections });
  return {
    pool,
    serviceSecret,
    origin: siteURL,
    objects: createFileObjectStore({
      folder: objectsFolder,
      baseURL: siteURL + objectsPath,
      signingKey: `objects ${serviceSecret}`,
    }),
    queue: createPostgresCommandQueue({
      pool,
      log,
      ...(options.consumer !== undefined && { consumer: options.consumer }),
    }),
    timers: createOutboxTimers(pool),
    sealer: await openSealer(pool, createFileKeyWrapper(await readFile(options.masterKeyFile))),
    payment: createLocalPayment({
      checkoutURL: siteURL + checkoutPath,
      signingKey: `checkout ${serviceSecret}`,
      webhookSecret: `payments ${serviceSecret}`,
      clock: () => new Date(),
    }),
    crypto: createLocalCryptoProcessor(`crypto ${serviceSecret}`),
  };
}

/** Users may stream to, and import from, this machine, and call as often as it can bear. */
export const localSettings = { allowPrivateAddresses: true, rateLimitFactor: 100 } as const;
