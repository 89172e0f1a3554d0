// The variables of the database and its secrets. The stack Database has the managed policies for them.
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

/** Clients also need `connectAccess` of the database, and the security group `databaseClients` of the network. */
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

/** The variables of functions that serve users. None is secret: functions read secrets by their ARN at start. */
export function coreEnvironment(options: CoreAccessOptions): Readonly<Record<CoreVariable, string>> {
  const { database, origin } = options;
  return {
    ...databaseEnvironment(options),
    SERVICE_SECRET_ARN: database.serviceSecret.secretArn,
    SEALING_KEY_ARN: database.sealingKey.keyArn,
    BASE_URL: origin.reference,
  };
}
