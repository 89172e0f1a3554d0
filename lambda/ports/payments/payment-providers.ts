// Payment providers from the secret of a stage.
import * as z from 'zod';
import { noCryptoProcessor } from './crypto-processor.ts';
import type { CryptoProcessor } from './crypto-processor.ts';
import { createOxapayProcessor } from './oxapay-processor.ts';
import { noPaymentProvider } from './payment.ts';
import type { PaymentProvider } from './payment.ts';
import { createStripePayment } from './stripe-payment.ts';

export interface PaymentProviders {
  readonly payment: PaymentProvider;
  readonly crypto: CryptoProcessor;
}

/** Paths below the public origin that the providers send their messages to. */
export const callbackPaths = { payment: '/v1/callbacks/payment', crypto: '/v1/callbacks/crypto' } as const;

/** Content of the secret. An absent kind of payment is not offered. */
const configuration = z.object({
  payment: z
    .object({ provider: z.literal('stripe'), apiKey: z.string().min(1), webhookSecret: z.string().min(1) })
    .optional(),
  crypto: z.object({ provider: z.literal('oxapay'), merchantKey: z.string().min(1) }).optional(),
});

/** @throws {Error} if the configuration is malformed; the message names the place and never repeats a value */
export function createPaymentProviders(secret: string, origin: string, clock: () => Date): PaymentProviders {
  const { data, error } = configuration.safeParse(parseJson(secret));
  if (!data) {
    const places = error.issues.map(({ path }) => path.join('.') || 'its root').join(', ');
    throw new Error(`the secret of the payment providers is malformed at ${places}`);
  }
  const { payment, crypto } = data;
  return {
    payment: payment ? createStripePayment({ ...payment, siteURL: origin, clock }) : noPaymentProvider,
    crypto: crypto
      ? createOxapayProcessor({ ...crypto, callbackURL: origin + callbackPaths.crypto })
      : noCryptoProcessor,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
