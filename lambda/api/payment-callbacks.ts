// Receives the messages of payment providers: verifies each as received, stores it, and then applies it.
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { Log } from '../log.ts';
import { applyPayments } from '../orchestration/billing/apply-payments.ts';
import { CallbackRefused } from '../ports/payments/callback-refused.ts';
import type { CryptoProcessor } from '../ports/payments/crypto-processor.ts';
import { callbackPaths } from '../ports/payments/payment-providers.ts';
import type { PaymentProviders } from '../ports/payments/payment-providers.ts';
import type { PaymentProvider } from '../ports/payments/payment.ts';
import { boundedBody } from '../surfaces/read-body.ts';
import type { RestHandler } from '../surfaces/rest/rest-handler.ts';

/** Messages of providers are far smaller. */
const maxMessageBytes = 256 * 1024;

/** Handles the providers' paths, which require only a signature. `rest` handles all other requests. */
export function withPaymentCallbacks(
  rest: RestHandler,
  providers: PaymentProviders,
  pool: Pool,
  log: Log,
): RestHandler {
  return async (request, address) => {
    const path = new URL(request.url).pathname;
    const port = (['payment', 'crypto'] as const).find((name) => callbackPaths[name] === path);
    if (!port) return rest(request, address);
    if (request.method !== 'POST') return answer(405, 'Only POST.', { allow: 'POST' });
    try {
      return await take(request, providers[port], pool, log);
    } catch (error) {
      // The message was not stored. The provider sends it again, because the answer is not 2xx.
      log('callback_failed', { provider: providers[port].name, error });
      return answer(500, 'Send it again.');
    }
  };
}

async function take(
  request: Request,
  provider: PaymentProvider | CryptoProcessor,
  pool: Pool,
  log: Log,
): Promise<Response> {
  const body = (await boundedBody(request, maxMessageBytes))?.toString();
  if (body === undefined) return answer(413, 'Too large.');
  try {
    const event = await provider.readEvent(body, request.headers);
    await databaseOn(pool).payments.keep({ provider: provider.name, id: event.id, body, meaning: event.reports });
  } catch (error) {
    if (!(error instanceof CallbackRefused)) throw error;
    log('callback_refused', { provider: provider.name, reason: error.message });
    return answer(400, 'The signature is not valid.');
  }
  // The message is stored, so the provider need not repeat it. If it cannot be applied now, the sweep applies it.
  await applyPayments(pool).catch((error: unknown) => log('payment_not_applied', { provider: provider.name, error }));
  return answer(200, 'ok');
}

function answer(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain', ...headers } });
}
