// Signs what is sent to webhooks by Standard Webhooks 1.0; standardwebhooks.com has libraries for its receivers.
import { createHmac } from 'node:crypto';
import { keyOfWebhookSecret } from '../domain/notices/webhook-secret.ts';

export interface Message {
  /** The id of the event, which is the same in every attempt: by it a receiver can tell what it has seen. */
  readonly id: string;
  /** When the message is sent. Receivers refuse messages that are too old. */
  readonly at: Date;
  readonly body: string;
}

/** The three headers of the specification. @param secrets each signs, so that a receiver may know any of them */
export function signedHeaders({ id, at, body }: Message, secrets: readonly string[]): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const signature = createHmac('sha256', keyOfWebhookSecret(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${signature.digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
