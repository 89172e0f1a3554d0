// Secrets of webhooks in the form of Standard Webhooks 1.0 (standardwebhooks.com): `whsec_` and base64.

const prefix = 'whsec_';
/** Standard Webhooks allows 24 to 64. */
export const webhookSecretBytes = 32;

/** The secret in the form that its user receives, once. @param bytes random bytes */
export function webhookSecret(bytes: Buffer): string {
  return prefix + bytes.toString('base64');
}

/** Bytes of the secret: the key of the signatures. */
export function keyOfWebhookSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}
