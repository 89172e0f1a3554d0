// Connects a deployable in AWS to its surroundings, once, at its start.
import { Signer } from '@aws-sdk/rds-signer';
import type { Pool } from 'pg';
import { createPool } from '../../data/shared/queryable.ts';
import type { KeyPurpose } from '../../domain/shared/sealed-places.ts';
import type { Log } from '../../log.ts';
import { readSecret } from './call-aws.ts';
import type { CommandQueue } from '../command-queue/command-queue.ts';
import type { QueueName } from '../command-queue/queues.ts';
import { createSQSCommandQueue } from '../command-queue/sqs-command-queue.ts';
import type { AwsCoreEnvironment, DatabaseEnvironment } from './environment.ts';
import type { ObjectStore } from '../object-store/object-store.ts';
import { createS3ObjectStore } from '../object-store/s3-object-store.ts';
import { createKMSKeyWrapper } from '../sealer/key-wrapper.ts';
import { openSealer } from '../sealer/open-sealer.ts';
import type { Sealer } from '../sealer/sealer.ts';

/** Addresses that the API needs. */
export interface AwsEnvironment extends AwsCoreEnvironment {
  readonly uploadsBucket: string;
  readonly queueURLs: Partial<Record<QueueName, string>>;
}

export interface CoreConnections {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly serviceSecret: string;
  /** The public origin, without a trailing slash. */
  readonly origin: string;
}

export interface Connections extends CoreConnections {
  /** Has the data keys of sources and no others. */
  readonly sourceSealer: Sealer;
  /** Has the data keys of live inputs and no others. Null: the platform does not receive SRT, as in AWS. */
  readonly liveSealer: Sealer | null;
  readonly objects: ObjectStore;
  readonly queue: CommandQueue;
}

/** Port in IAM tokens, and the driver's port unless PGPORT names another one, as a stand-in for RDS Proxy needs. */
const postgresPort = 5432;

/** @param connections maximum for a process of this kind: a Lambda handles one request at a time */
export async function connectAws(
  environment: AwsEnvironment,
  connections: number,
  log: Log,
): Promise<Omit<Connections, 'origin'>> {
  const core = await connectCore(environment, connections);
  return {
    ...core,
    sourceSealer: await connectSealer(core.pool, environment, 'sources'),
    liveSealer: null,
    objects: createS3ObjectStore({ bucket: environment.uploadsBucket }),
    queue: createSQSCommandQueue({ pool: core.pool, queueURLs: environment.queueURLs, log }),
  };
}

/** Database and secrets alone. */
export async function connectCore(
  environment: AwsCoreEnvironment,
  connections: number,
): Promise<Omit<CoreConnections, 'origin'>> {
  const pool = connectDatabase(environment, connections);
  return {
    pool,
    serviceSecret: await readSecret(environment.serviceSecretARN),
    sealer: await connectSealer(pool, environment),
  };
}

/** The database alone. @param connections maximum for the process */
export function connectDatabase(environment: DatabaseEnvironment, connections: number): Pool {
  const { databaseHost: host, databaseUser: user, databaseRegion: region } = environment;
  const signer = new Signer({ hostname: host, port: postgresPort, username: user, region });
  return createPool({
    host,
    user,
    database: environment.databaseName,
    // A token lasts 15 minutes, and only has to be valid when a connection is opened.
    password: () => signer.getAuthToken(),
    ssl: { rejectUnauthorized: true },
    max: connections,
  });
}

/** Sealer for a process with rights on the key. */
export function connectSealer(
  pool: Pool,
  { sealingKeyARN }: Pick<AwsCoreEnvironment, 'sealingKeyARN'>,
  purpose: KeyPurpose = 'data key',
): Promise<Sealer> {
  return openSealer(pool, createKMSKeyWrapper(sealingKeyARN, purpose));
}
