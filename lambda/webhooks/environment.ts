// The environment of the function behind the queue 'webhooks': the names that its stack sets, and their values, parsed once.
import type { AwsCoreEnvironment } from '../ports/aws.ts';
import { coreVariables, readCoreEnvironment } from '../ports/environment.ts';

export const webhookVariables = [...coreVariables, 'MAIL_FROM'] as const;

export interface WebhookEnvironment extends AwsCoreEnvironment {
  /** Null: the stage has no address to send mails from. */
  readonly mailFrom: string | null;
}

/** @throws naming the variable that is missing */
export function readWebhookEnvironment(env: NodeJS.ProcessEnv): WebhookEnvironment {
  return { ...readCoreEnvironment(env), mailFrom: env['MAIL_FROM'] || null };
}
