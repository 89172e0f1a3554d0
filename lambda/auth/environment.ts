// The environment of the identity function: the names that its stack sets, and their values, parsed once.
import type { AwsCoreEnvironment } from '../ports/aws.ts';
import { requiredVariable } from '../required-variable.ts';

export const authVariables = [
  'DATABASE_HOST', 'DATABASE_USER', 'DATABASE_NAME', 'DATABASE_REGION', 'SERVICE_SECRET_ARN', 'SEALING_KEY_ARN', 'BASE_URL', 'MAIL_FROM', 'RATE_LIMIT_FACTOR',
] as const;

export interface AuthEnvironment extends AwsCoreEnvironment {
  /** Null: the stage has no address to send mails from. */
  readonly mailFrom: string | null;
  readonly rateLimitFactor: number;
}

/** @throws naming the variable that is missing */
export function readAuthEnvironment(env: NodeJS.ProcessEnv): AuthEnvironment {
  const required = (name: (typeof authVariables)[number]) => requiredVariable(env, name);
  return {
    databaseHost: required('DATABASE_HOST'),
    databaseUser: required('DATABASE_USER'),
    databaseName: required('DATABASE_NAME'),
    databaseRegion: required('DATABASE_REGION'),
    serviceSecretARN: required('SERVICE_SECRET_ARN'),
    sealingKeyARN: required('SEALING_KEY_ARN'),
    origin: required('BASE_URL'),
    mailFrom: env['MAIL_FROM'] || null,
    rateLimitFactor: Number(required('RATE_LIMIT_FACTOR')),
  };
}
