// Where payment providers report: their messages are verified as received, kept, and only then applied.
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { Log } from '../log.ts';
import { applyPayments } from '../orchestration/apply-payments.ts';
import { CallbackRefused } from '../ports/callback-refused.ts';
import type { CryptoProcessor } from '../ports/crypto-processor/crypto-processor.ts';
import { callbackPaths } from '../ports/payment-providers.ts';
import type { PaymentProviders } from '../ports/payment-providers.ts';
import type { PaymentProvider } from '../ports/payment/payment.ts';
import type { RestHandler } from '../surfaces/rest.ts';

/** Far above what providers send. */
const maxMessageBytes = 256 * 1024;

/** Answers providers at their paths, which need no credential but the signature, and lets `rest` answer everything else. */
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
      // Nothing was kept: the provider sends it again.
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
  if (Number(request.headers.get('content-length') ?? 0) > maxMessageBytes) return answer(413, 'Too large.');
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > maxMessageBytes) return answer(413, 'Too large.');
  const body = Buffer.from(bytes).toString('utf8');
  try {
    const event = await provider.readEvent(body, request.headers);
    await databaseOn(pool).payments.keep({ provider: provider.name, id: event.id, body, meaning: event.reports });
  } catch (error) {
    if (!(error instanceof CallbackRefused)) throw error;
    log('callback_refused', { provider: provider.name, reason: error.message });
    return answer(400, 'The signature is not valid.');
  }
  // From here on the message is ours: what cannot be applied now is applied by the sweep.
  await applyPayments(pool).catch((error: unknown) => log('payment_not_applied', { provider: provider.name, error }));
  return answer(200, 'ok');
}

function answer(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain', ...headers } });
}
