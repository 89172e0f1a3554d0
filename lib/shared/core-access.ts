// What a function works with that needs the database and its secrets, and nothing else: whoever breaks in there gets neither media nor queues.
import { type IRole, ManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { coreVariables } from '../../lambda/ports/environment.ts';
import type { DatabaseStack } from '../database/database-stack.ts';
import type { StageSettings } from '../stage-settings.ts';
import type { PublicOrigin } from './public-origin.ts';

export interface CoreParts {
  readonly settings: StageSettings;
  readonly database: DatabaseStack;
  readonly origin: PublicOrigin;
}

type Variable = (typeof coreVariables)[number];

/** None is secret: secrets are read by their ARN when a function starts. */
export function coreEnvironment({ settings, database, origin }: CoreParts): Readonly<Record<Variable, string>> {
  return {
    DATABASE_HOST: database.proxy.endpoint,
    DATABASE_USER: database.userName,
    DATABASE_NAME: database.databaseName,
    DATABASE_REGION: settings.region,
    SERVICE_SECRET_ARN: database.serviceSecret.secretArn,
    SEALING_KEY_ARN: database.sealingKey.keyArn,
    BASE_URL: origin.reference,
  };
}

/** The rights that go with it. The function also needs the network's `databaseClients` security group. */
export function grantCore(scope: Construct, role: IRole, { database, origin }: CoreParts): void {
  const policy = new ManagedPolicy(scope, 'Policy');
  database.serviceSecret.grantRead(policy);
  database.sealingKey.grantDecrypt(policy);
  origin.grantRead(policy);
  role.addManagedPolicy(policy);
  role.addManagedPolicy(database.connectAccess);
}
