// Secrets of webhooks, as Standard Webhooks 1.0 has them (standardwebhooks.com): `whsec_` and base64.

const prefix = 'whsec_';
/** The specification allows 24 to 64. */
export const webhookSecretBytes = 32;

/** As its user gets it, once. @param bytes random ones */
export function webhookSecret(bytes: Buffer): string {
  return prefix + bytes.toString('base64');
}

/** The key that the secret stands for. */
export function keyOfWebhookSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}
