// The environment variables of the function behind the queue 'webhooks': their names for the stack, and values.
import type { AwsCoreEnvironment } from '../ports/aws/environment.ts';
import { databaseVariables, readDatabaseEnvironment } from '../ports/aws/environment.ts';
import { mailVariables, readMailEnvironment } from '../ports/mailer/mail-environment.ts';
import type { MailEnvironment } from '../ports/mailer/mail-environment.ts';
import { requiredVariable } from '../required-variable.ts';

export const webhookVariables = [...databaseVariables, 'SEALING_KEY_ARN', 'BASE_URL', ...mailVariables] as const;

export interface WebhookEnvironment extends Omit<AwsCoreEnvironment, 'serviceSecretARN'>, MailEnvironment {}

/** @throws naming the variable that is missing */
export function readWebhookEnvironment(env: NodeJS.ProcessEnv): WebhookEnvironment {
  return {
    ...readDatabaseEnvironment(env),
    sealingKeyARN: requiredVariable(env, 'SEALING_KEY_ARN'),
    origin: requiredVariable(env, 'BASE_URL'),
    ...readMailEnvironment(env),
  };
}
