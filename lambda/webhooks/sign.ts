// Signs messages of webhooks by Standard Webhooks 1.0. Its site, standardwebhooks.com, has libraries for receivers.
import { createHmac } from 'node:crypto';
import { keyOfWebhookSecret } from '../domain/notices/webhook-secret.ts';

export interface Message {
  /** The id of the event, the same in every attempt, so that receivers can detect duplicates. */
  readonly id: string;
  /** The time of sending. Receivers refuse messages that are too old. */
  readonly at: Date;
  readonly body: string;
}

/** The three headers of the specification. @param secrets each signs, so that a receiver may have any of them */
export function signedHeaders({ id, at, body }: Message, secrets: readonly string[]): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const signature = createHmac('sha256', keyOfWebhookSecret(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${signature.digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
