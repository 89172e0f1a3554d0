// Secrets of webhooks in the form of Standard Webhooks 1.0 (standardwebhooks.com): `whsec_` and base64.

const prefix = 'whsec_';
/** Standard Webhooks allows 24 to 64. */
export const webhookSecretBytes = 32;

/** A secret in the form that its user gets, once. @param bytes random ones */
export function webhookSecret(bytes: Buffer): string {
  return prefix + bytes.toString('base64');
}

/** The bytes of the secret, which are the key of the signatures. */
export function keyOfWebhookSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}
