// Connects payment providers and managed platforms, with the credentials in a secret of the stage.
import { readSecret } from '../ports/aws/call-aws.ts';
import { createConsentPlatforms } from '../ports/managed-platforms/configured-consents.ts';
import { createPlatformEvents } from '../ports/managed-platforms/configured-events.ts';
import type { PlatformEvents } from '../ports/managed-platforms/configured-events.ts';
import type { ConsentPlatforms } from '../ports/managed-platforms/managed-platform.ts';
import { createPaymentProviders } from '../ports/payments/payment-providers.ts';
import type { PaymentProviders } from '../ports/payments/payment-providers.ts';

export interface Providers extends PaymentProviders {
  readonly platforms: ConsentPlatforms;
}

/** @throws if the secret is malformed */
export async function connectProviders(
  secretARN: string,
  origin: string,
): Promise<Providers & { readonly platformEvents: PlatformEvents }> {
  const secret = await readSecret(secretARN);
  const clock = () => new Date();
  return {
    ...createPaymentProviders(secret, origin, clock),
    platforms: createConsentPlatforms(secret, clock),
    platformEvents: createPlatformEvents(secret, clock),
  };
}
