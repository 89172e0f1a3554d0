// A process that applies one payment message and kills itself between two statements; tests start it.
import pg from 'pg';
import { withPaymentCallbacks } from '../../lambda/api/payment-callbacks.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { createLocalCryptoProcessor } from '../../lambda/ports/payments/local-crypto-processor.ts';
import { createLocalPayment } from '../../lambda/ports/payments/local-payment.ts';

export interface KilledPayment {
  readonly databaseURL: string;
  readonly webhookSecret: string;
  readonly url: string;
  readonly body: string;
  readonly headers: Record<string, string>;
  /** Number of statements that the process sends before it dies. */
  readonly statements: number;
}

const { databaseURL, webhookSecret, url, body, headers, statements } = JSON.parse(
  process.env['KILLED_PAYMENT']!,
) as KilledPayment;

let sent = 0;
const { query } = pg.Client.prototype as unknown as { query: (this: pg.Client, ...args: unknown[]) => unknown };
Object.assign(pg.Client.prototype, {
  query(this: pg.Client, ...args: unknown[]) {
    if (sent++ === statements) process.kill(process.pid, 'SIGKILL');
    return query.call(this, ...args);
  },
});

const pool = createPool({ connectionString: databaseURL, max: 1, application_name: 'killed payment' });
const payment = createLocalPayment({
  checkoutURL: 'http://127.0.0.1/checkout',
  signingKey: '',
  webhookSecret,
  clock: () => new Date(),
});
const answer = withPaymentCallbacks(
  () => Promise.reject(new Error('nothing else is asked')),
  { payment, crypto: createLocalCryptoProcessor('') },
  pool,
  () => {},
);
const { status } = await answer(new Request(url, { method: 'POST', body, headers }), '192.0.2.1');
await pool.end();
process.exitCode = status === 200 ? 0 : 1;
