// Connects a deployable in AWS to everything around it, once, when it starts.
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { Signer } from '@aws-sdk/rds-signer';
import type { Pool } from 'pg';
import { createPool } from '../data/queryable.ts';
import type { Log } from '../log.ts';
import type { CommandQueue } from './command-queue/command-queue.ts';
import type { QueueName } from './command-queue/queues.ts';
import { createSQSCommandQueue } from './command-queue/sqs-command-queue.ts';
import type { ObjectStore } from './object-store/object-store.ts';
import { createS3ObjectStore } from './object-store/s3-object-store.ts';
import { readParameter } from './read-parameter.ts';
import { createSealer } from './sealer/sealer.ts';
import type { Sealer } from './sealer/sealer.ts';

/** Where everything is; each deployable parses it from its own environment. */
export interface AwsEnvironment {
  readonly databaseHost: string;
  readonly databaseUser: string;
  readonly databaseName: string;
  readonly databaseRegion: string;
  readonly serviceSecretARN: string;
  readonly uploadsBucket: string;
  /** Origin of the API; `ssm:NAME` where it stands in a parameter. */
  readonly origin: string;
  readonly queueURLs: Partial<Record<QueueName, string>>;
  readonly timerGroup: string;
  readonly timerRoleARN: string;
  readonly timerQueueARN: string;
}

export interface Connections {
  readonly pool: Pool;
  readonly objects: ObjectStore;
  readonly queue: CommandQueue;
  readonly sealer: Sealer;
  readonly serviceSecret: string;
  /** Without a trailing slash. */
  readonly origin: string;
}

/** In tokens. It is the driver's own port too, unless PGPORT names another: where something stands in for RDS Proxy. */
const postgresPort = 5432;

/** @param connections how many a process of this kind may hold: a Lambda handles one request at a time */
export async function connectAws(environment: AwsEnvironment, connections: number, log: Log): Promise<Connections> {
  const { databaseHost: host, databaseUser: user, databaseRegion: region } = environment;
  const signer = new Signer({ hostname: host, port: postgresPort, username: user, region });
  const pool = createPool({
    host,
    user,
    database: environment.databaseName,
    // A token lasts 15 minutes, and only has to be valid when a connection is made.
    password: () => signer.getAuthToken(),
    ssl: { rejectUnauthorized: true },
    max: connections,
  });
  const serviceSecret = await readSecret(environment.serviceSecretARN);
  return {
    pool,
    serviceSecret,
    origin: await resolveOrigin(environment.origin, region),
    objects: createS3ObjectStore({ bucket: environment.uploadsBucket }),
    queue: createSQSCommandQueue({ sqs: new SQSClient(), pool, queueURLs: environment.queueURLs, log }),
    sealer: createSealer(serviceSecret),
  };
}

async function readSecret(arn: string): Promise<string> {
  const { SecretString } = await new SecretsManagerClient().send(new GetSecretValueCommand({ SecretId: arn }));
  if (!SecretString) throw new Error('the service secret has no value');
  return SecretString;
}

/** `ssm:NAME` stands for the value of that parameter, which is known only after the distribution was made. */
async function resolveOrigin(origin: string, region: string): Promise<string> {
  return origin.startsWith('ssm:') ? readParameter(origin.slice('ssm:'.length), { region }) : origin;
}
