// The environment of the function behind the queue 'webhooks', besides that of the API: the names that its stack sets, and their values.

export const webhookVariables = ['MAIL_FROM'] as const;

export interface WebhookEnvironment {
  /** Null: the stage has no address to send mails from. */
  readonly mailFrom: string | null;
}

export function readWebhookEnvironment(env: NodeJS.ProcessEnv): WebhookEnvironment {
  return { mailFrom: env[webhookVariables[0]] || null };
}
