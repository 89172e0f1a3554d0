// Signs what is sent to webhooks, by Standard Webhooks 1.0: its receivers verify it with the libraries of standardwebhooks.com.
import { createHmac } from 'node:crypto';
import { keyOfWebhookSecret } from '../domain/webhook-secret.ts';

export interface Message {
  /** Of the event: the same in every attempt, so that a receiver can tell what it has seen. */
  readonly id: string;
  /** When it is sent; receivers refuse what is too old. */
  readonly at: Date;
  readonly body: string;
}

/** The three headers of the specification. */
export function signedHeaders({ id, at, body }: Message, secret: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = createHmac('sha256', keyOfWebhookSecret(secret))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
