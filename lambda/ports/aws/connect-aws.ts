// Connects a deployable in AWS to everything around it, once, when it starts.
import { Signer } from '@aws-sdk/rds-signer';
import type { Pool } from 'pg';
import { createPool } from '../../data/shared/queryable.ts';
import type { KeyPurpose } from '../../domain/shared/sealed-places.ts';
import type { Log } from '../../log.ts';
import { readParameter, readSecret } from './call-aws.ts';
import type { CommandQueue } from '../command-queue/command-queue.ts';
import type { QueueName } from '../command-queue/queues.ts';
import { createSQSCommandQueue } from '../command-queue/sqs-command-queue.ts';
import type { ObjectStore } from '../object-store/object-store.ts';
import { createS3ObjectStore } from '../object-store/s3-object-store.ts';
import { createKMSKeyWrapper } from '../sealer/key-wrapper.ts';
import { openSealer } from '../sealer/open-sealer.ts';
import type { Sealer } from '../sealer/sealer.ts';

/** Where the database is, and the role to connect as. */
export interface DatabaseEnvironment {
  readonly databaseHost: string;
  readonly databaseUser: string;
  readonly databaseName: string;
  readonly databaseRegion: string;
}

/** Where that is which whoever answers users needs. */
export interface AwsCoreEnvironment extends DatabaseEnvironment {
  readonly serviceSecretARN: string;
  /** KMS key that wraps the keys which secrets are sealed with. */
  readonly sealingKeyARN: string;
  /** Origin of the API; `ssm:NAME` where it stands in a parameter. */
  readonly origin: string;
}

/** Where everything is that the API needs. */
export interface AwsEnvironment extends AwsCoreEnvironment {
  readonly uploadsBucket: string;
  readonly queueURLs: Partial<Record<QueueName, string>>;
}

export interface CoreConnections {
  readonly pool: Pool;
  readonly sealer: Sealer;
  readonly serviceSecret: string;
  /** Without a trailing slash. */
  readonly origin: string;
}

export interface Connections extends CoreConnections {
  /** With the data keys of sources, and no other. */
  readonly sourceSealer: Sealer;
  readonly objects: ObjectStore;
  readonly queue: CommandQueue;
}

/** In tokens. It is the driver's own port too, unless PGPORT names another: where something stands in for RDS Proxy. */
const postgresPort = 5432;

/** @param connections how many a process of this kind may hold: a Lambda handles one request at a time */
export async function connectAws(environment: AwsEnvironment, connections: number, log: Log): Promise<Connections> {
  const core = await connectCore(environment, connections);
  return {
    ...core,
    sourceSealer: await connectSealer(core.pool, environment, 'sources'),
    objects: createS3ObjectStore({ bucket: environment.uploadsBucket }),
    queue: createSQSCommandQueue({ pool: core.pool, queueURLs: environment.queueURLs, log }),
  };
}

/** Database and secrets alone, for what needs no more. */
export async function connectCore(environment: AwsCoreEnvironment, connections: number): Promise<CoreConnections> {
  const pool = connectDatabase(environment, connections);
  return {
    pool,
    serviceSecret: await readSecret(environment.serviceSecretARN),
    origin: await readOrigin(environment),
    sealer: await connectSealer(pool, environment),
  };
}

/** The database alone. @param connections how many the process may hold */
export function connectDatabase(environment: DatabaseEnvironment, connections: number): Pool {
  const { databaseHost: host, databaseUser: user, databaseRegion: region } = environment;
  const signer = new Signer({ hostname: host, port: postgresPort, username: user, region });
  return createPool({
    host,
    user,
    database: environment.databaseName,
    // A token lasts 15 minutes, and only has to be valid when a connection is made.
    password: () => signer.getAuthToken(),
    ssl: { rejectUnauthorized: true },
    max: connections,
  });
}

/** For whoever opens or seals secrets, with the rights on the key. */
export function connectSealer(
  pool: Pool,
  { sealingKeyARN }: Pick<AwsCoreEnvironment, 'sealingKeyARN'>,
  purpose: KeyPurpose = 'data key',
): Promise<Sealer> {
  return openSealer(pool, createKMSKeyWrapper(sealingKeyARN, purpose));
}

/** `ssm:NAME` stands for the value of that parameter, which is known only after the distribution was made. */
export async function readOrigin({
  origin,
  databaseRegion: region,
}: Pick<AwsCoreEnvironment, 'origin' | 'databaseRegion'>): Promise<string> {
  return origin.startsWith('ssm:') ? readParameter(origin.slice('ssm:'.length), { region }) : origin;
}
