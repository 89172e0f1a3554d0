// Connects a process of the local run to its adapters, as lambda/ports/aws/connect-aws.ts does in AWS.
import { readFile } from 'node:fs/promises';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { statementSeconds } from '../../lambda/data/shared/statement-time.ts';
import type { Log } from '../../lambda/log.ts';
import type { Connections } from '../../lambda/ports/aws/connect-aws.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { createFileKeyWrapper } from '../../lambda/ports/sealer/key-wrapper.ts';
import { openSealer } from '../../lambda/ports/sealer/open-sealer.ts';
import { createLocalCryptoProcessor } from '../../lambda/ports/payments/local-crypto-processor.ts';
import type { LocalCryptoProcessor } from '../../lambda/ports/payments/local-crypto-processor.ts';
import { createLocalPayment } from '../../lambda/ports/payments/local-payment.ts';
import type { LocalPayment } from '../../lambda/ports/payments/local-payment.ts';
import { consentCallbackURL } from '../../lambda/ports/managed-platforms/platform-clients.ts';
import type { ManagedPlatforms } from '../../lambda/ports/managed-platforms/managed-platform.ts';
import { createYoutubePlatform } from '../../lambda/ports/managed-platforms/youtube-platform.ts';
import type { Timers } from '../../lambda/ports/timers/timers.ts';
import { createOutboxTimers } from '../../lambda/ports/timers/outbox-timers.ts';
import { plansOnce, PreparingClient } from './preparing-client.ts';
import { createYoutubeStandIn, standInOrigins } from './youtube/stand-in.ts';
import type { StandIn } from './youtube/stand-in.ts';

export interface LocalConnectionsOptions {
  readonly databaseURL: string;
  readonly serviceSecret: string;
  /** File with the 32 bytes that wrap the sealer's keys, which seal stream keys and other secrets. */
  readonly masterKeyFile: string;
  readonly objectsFolder: string;
  /** Origin of the site: http://127.0.0.1:PORT. */
  readonly siteURL: string;
  /** File with the state of the stand-in for YouTube; absent in processes that do not call it. */
  readonly youtubeFile?: string;
  /** The name under which this process takes commands from the queue. If it dies, they are given back by this name. */
  readonly consumer?: string;
}

export interface LocalConnections extends Connections {
  readonly objects: FileObjectStore;
  readonly payment: LocalPayment;
  readonly crypto: LocalCryptoProcessor;
  readonly timers: Timers;
  readonly platforms: ManagedPlatforms;
  readonly youtube: StandIn;
}

/** Users of a local run may stream to this machine and import from it. */
export const allowPrivateAddresses = true;

/** Path of objects on the site. */
export const objectsPath = '/objects';
/** Path of the checkout page on the site. */
export const checkoutPath = '/checkout';

/**
 * Time for which unused connections stay open. A new connection costs a request a tenth of a second, because Postgres
 * starts a process with empty caches. So the connections of one peak are kept for the next.
 */
const keptIdleMs = 300_000;

/** @param options `databaseURL` is of a migrated database @param maxClients of the pool */
export async function connectLocally(
  options: LocalConnectionsOptions,
  maxClients: number,
  log: Log,
): Promise<LocalConnections> {
  const { databaseURL, serviceSecret, objectsFolder, siteURL } = options;
  const pool = createPool({
    connectionString: databaseURL,
    max: maxClients,
    idleTimeoutMillis: keptIdleMs,
    // As in a stage.
    statement_timeout: statementSeconds * 1000,
    Client: PreparingClient,
    options: plansOnce,
  });
  const masterKey = await readFile(options.masterKeyFile);
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
    sealer: await openSealer(pool, createFileKeyWrapper(masterKey, 'data key')),
    sourceSealer: await openSealer(pool, createFileKeyWrapper(masterKey, 'sources')),
    liveSealer: await openSealer(pool, createFileKeyWrapper(masterKey, 'live')),
    payment: createLocalPayment({
      checkoutURL: siteURL + checkoutPath,
      signingKey: `checkout ${serviceSecret}`,
      webhookSecret: `payments ${serviceSecret}`,
      clock: () => new Date(),
    }),
    crypto: createLocalCryptoProcessor(`crypto ${serviceSecret}`),
    ...connectYoutube(options),
  };
}

/** YouTube's adapter, as in AWS, and the local stand-in for YouTube. */
function connectYoutube({ siteURL, serviceSecret, youtubeFile }: LocalConnectionsOptions): {
  platforms: ManagedPlatforms;
  youtube: StandIn;
} {
  const client = { clientID: 'local', clientSecret: `youtube ${serviceSecret}`, clock: () => new Date() };
  const redirectURI = consentCallbackURL(`${siteURL}/v1`);
  return {
    platforms: { youtube: createYoutubePlatform({ ...client, origins: standInOrigins(siteURL) }) },
    youtube: createYoutubeStandIn({
      ...client,
      redirectURI,
      signingKey: serviceSecret,
      ...(youtubeFile !== undefined && { stateFile: youtubeFile }),
    }),
  };
}
