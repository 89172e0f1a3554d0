// The payment providers of a stage, as its secret configures them.
import * as z from 'zod';
import { readSecret } from './call-aws.ts';
import { noCryptoProcessor } from './crypto-processor/crypto-processor.ts';
import type { CryptoProcessor } from './crypto-processor/crypto-processor.ts';
import { createOxapayProcessor } from './crypto-processor/oxapay-processor.ts';
import { noPaymentProvider } from './payment/payment.ts';
import type { PaymentProvider } from './payment/payment.ts';
import { createStripePayment } from './payment/stripe-payment.ts';

export interface PaymentProviders {
  readonly payment: PaymentProvider;
  readonly crypto: CryptoProcessor;
}

/** Paths of the API's origin where the providers report. */
export const callbackPaths = { payment: '/v1/callbacks/payment', crypto: '/v1/callbacks/crypto' } as const;

/** What is left out is not offered. */
const configuration = z.object({
  payment: z
    .object({ provider: z.literal('stripe'), apiKey: z.string().min(1), webhookSecret: z.string().min(1) })
    .optional(),
  crypto: z.object({ provider: z.literal('oxapay'), merchantKey: z.string().min(1) }).optional(),
});

/** @throws naming what is wrong with the configuration, never repeating it */
export function createPaymentProviders(secret: string, origin: string, clock: () => Date): PaymentProviders {
  const { data, error } = configuration.safeParse(parseJson(secret));
  if (!data)
    throw new Error(
      `the secret of the payment providers is malformed at ${error.issues.map(({ path }) => path.join('.') || 'its root').join(', ')}`,
    );
  const { payment, crypto } = data;
  return {
    payment: payment ? createStripePayment({ ...payment, siteURL: origin, clock }) : noPaymentProvider,
    crypto: crypto
      ? createOxapayProcessor({ ...crypto, callbackURL: origin + callbackPaths.crypto })
      : noCryptoProcessor,
  };
}

export async function connectPaymentProviders(secretARN: string, origin: string): Promise<PaymentProviders> {
  return createPaymentProviders(await readSecret(secretARN), origin, () => new Date());
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
