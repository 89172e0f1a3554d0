// The variables of the database and its secrets. Rights on them are the managed policies of the stack Database.
import type { coreVariables, databaseVariables } from '../../lambda/ports/aws/environment.ts';
import type { DatabaseStack } from '../database/database-stack.ts';
import type { StageSettings } from '../stage-settings.ts';
import { authoritiesEnvironment } from './database-authorities.ts';
import type { PublicOrigin } from './public-origin.ts';

export interface CoreAccessOptions {
  readonly settings: StageSettings;
  readonly database: DatabaseStack;
  readonly origin: PublicOrigin;
}

type DatabaseVariable = (typeof databaseVariables)[number];
type CoreVariable = (typeof coreVariables)[number];

/** Whoever has them needs `connectAccess` of the database, and the security group `databaseClients` of the network. */
function databaseEnvironment({
  settings,
  database,
}: Omit<CoreAccessOptions, 'origin'>): Readonly<Record<DatabaseVariable, string>> {
  return {
    DATABASE_HOST: database.endpoint,
    DATABASE_USER: database.userName,
    DATABASE_NAME: database.databaseName,
    DATABASE_REGION: settings.region,
    ...authoritiesEnvironment(database.proxy !== null, 'function'),
  };
}

/** Of whoever answers users. None is secret: the function reads secrets by their ARN when it starts. */
export function coreEnvironment(options: CoreAccessOptions): Readonly<Record<CoreVariable, string>> {
  const { database, origin } = options;
  return {
    ...databaseEnvironment(options),
    SERVICE_SECRET_ARN: database.serviceSecret.secretArn,
    SEALING_KEY_ARN: database.sealingKey.keyArn,
    BASE_URL: origin.reference,
  };
}
