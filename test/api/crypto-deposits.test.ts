// Crypto deposits in the processor's reports: any amount, any order, any number of repetitions.
import { beforeEach, describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { coins } from '../../lambda/ports/payments/coins.ts';
import { signOxapayMessage } from '../../lambda/ports/payments/oxapay-callbacks.ts';
import { putFailuresAside, unappliedFailures } from '../support/books.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { paymentsOn } from './payments.ts';

const service = testService();
const { billing, deliverDeposit, invoices } = paymentsOn(service);
let user: TestUser;
let address: string;
let count = 0;

beforeEach(async () => {
  user = await service.user(0);
  address = (await user.call('GET', '/crypto/currencies/USDT%20(TRC20)/deposit-address')).body.address;
});

interface Report {
  readonly amount: number;
  readonly transaction?: string;
  readonly status?: 'confirming' | 'confirmed' | 'failed';
}

/** Delivers a report of the processor about a deposit to the user's address. */
const report = ({ amount, transaction = `tx_${++count}`, status = 'confirmed' }: Report) =>
  deliverDeposit(service.crypto().messageOf({ address, amount, transaction, status })!);

/** Removes a currency from the list, as when the processor no longer supports it. */
const removeCurrency = (id: string) =>
  service.pool().query('update crypto_currencies set listed = false where id = $1', [id]);
const listAllCurrencies = () => service.pool().query('update crypto_currencies set listed = true');

/** Makes the list of currencies this many minutes old. */
const letListAge = (minutes: number) =>
  service.pool().query('update crypto_currencies set fetched_at = now() - make_interval(mins => $1)', [minutes]);

describe('a deposit', () => {
  it('shows as pending while it is confirmed, and is credited then, whatever amount', async () => {
    await report({ amount: 12.5, transaction: 'a', status: 'confirming' });
    expect(await invoices(user)).toMatchObject([
      { state: 'pending', method: 'crypto', type: 'credit_purchase', cost: 12.5, credits: 1250, remainingCredits: 0 },
    ]);
    // The final amount may differ from the first report.
    await report({ amount: 12.25, transaction: 'a' });
    expect(await invoices(user)).toMatchObject([{ state: 'paid', cost: 12.25, credits: 1225, remainingCredits: 1225 }]);
    expect(await billing(user)).toMatchObject({ balance: 1225 });
  });

  it('is credited once, however often and in whatever order it is reported', async () => {
    await report({ amount: 3, transaction: 'b' });
    await Promise.all(
      ['confirmed', 'confirming', 'failed', 'confirmed'].map((status) =>
        report({ amount: 3, transaction: 'b', status: status as 'failed' }),
      ),
    );
    await report({ amount: 99, transaction: 'b' });
    expect(await invoices(user)).toMatchObject([{ state: 'paid', credits: 300 }]);
  });

  it('that pays twice to the address in one transaction is credited twice, and once in all', async () => {
    const twice = (status: 'confirming' | 'confirmed', times = 2) => {
      const { body } = service.crypto().messageOf({ address, amount: 3, transaction: 'b2', status })!;
      const { txs, ...more } = JSON.parse(body);
      const two = JSON.stringify({ ...more, txs: Array.from({ length: times }, () => txs[0]) });
      return deliverDeposit({ body: two, headers: { hmac: signOxapayMessage('a merchant key for tests', two) } });
    };
    for (const status of ['confirming', 'confirmed', 'confirmed'] as const) await twice(status);
    await twice('confirmed', 1);
    expect(await billing(user)).toMatchObject({ balance: 600 });
  });

  it('that fails is given up, and credited if it arrives after all', async () => {
    await report({ amount: 3, transaction: 'c', status: 'confirming' });
    await report({ amount: 3, transaction: 'c', status: 'failed' });
    expect(await invoices(user)).toMatchObject([{ state: 'cancelled' }]);
    await report({ amount: 3, transaction: 'c' });
    expect(await invoices(user)).toMatchObject([{ state: 'paid', remainingCredits: 300 }]);
  });

  it('of less than a credit waits until it is worth one together with later ones', async () => {
    for (const amount of [0.004, 0.003]) await report({ amount });
    expect(await invoices(user)).toEqual([]);
    await report({ amount: 0.0055 });
    expect(await invoices(user)).toMatchObject([{ state: 'paid', credits: 1.25, cost: 0.0125 }]);
    await report({ amount: 1 });
    expect(await billing(user)).toMatchObject({ balance: 101.25 });
  });

  it('in a currency that was removed is credited, though no more addresses are given out', async () => {
    await removeCurrency('USDT (TRC20)');
    const { status, body } = await user.call('GET', '/crypto/currencies/USDT%20(TRC20)/deposit-address');
    expect([status, body.code]).toEqual([422, 'unknown_currency']);
    await report({ amount: 5 });
    expect(await billing(user)).toMatchObject({ balance: 500 });
    await listAllCurrencies();
  });

  it('that is unsigned, altered, or at no address of ours changes nothing', async () => {
    const { body, headers } = service
      .crypto()
      .messageOf({ address, amount: 5, transaction: 'd', status: 'confirmed' })!;
    expect((await deliverDeposit({ body, headers: {} })).status).toBe(400);
    expect((await deliverDeposit({ body: body.replace('5', '6'), headers })).status).toBe(400);
    const elsewhere = service
      .crypto()
      .messageOf({ address: 'test-USDT-TRC20-adr_of_nobody', amount: 5, transaction: 'e', status: 'confirmed' })!;
    expect((await deliverDeposit(elsewhere)).status).toBe(200);
    expect(await invoices(user)).toEqual([]);
    expect(await unappliedFailures(service)).toEqual([expect.stringContaining('no such deposit address')]);
    await putFailuresAside(service);
  });
});

describe('a deposit address', () => {
  it('is made once per user and currency, also for many at once, and stays', async () => {
    const other = await service.user(0);
    const ask = async (who: TestUser, id: string) =>
      (await who.call('GET', `/crypto/currencies/${encodeURIComponent(id)}/deposit-address`)).body;
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(other, 'BTC')));
    expect(new Set(answers.map((answer) => answer.address)).size).toBe(1);
    expect(answers[0]).toMatchObject({ currencyID: 'BTC', network: 'BTC', memo: null, createdAt: expect.any(String) });
    expect(await ask(other, 'BTC')).toEqual(answers[0]);
    expect((await ask(user, 'BTC')).address).not.toBe(answers[0].address);
    expect((await ask(other, 'ETH (ERC20)')).address).not.toBe(answers[0].address);
  });

  it.for(['usdt (trc20)', 'BTC ', 'X', '%00', '💰'])('of %j is refused', async (id) => {
    const { status, body } = await user.call('GET', `/crypto/currencies/${encodeURIComponent(id)}/deposit-address`);
    expect([status, body.code]).toEqual([422, 'unknown_currency']);
  });
});

describe('the list of currencies', () => {
  it('has every field of each currency', async () => {
    const { body } = await user.call('GET', '/crypto/currencies');
    expect(body.map(({ id }: { id: string }) => id)).toEqual(coins.map(({ id }) => id).sort());
    const of = (id: string) => body.find((currency: { id: string }) => currency.id === id);
    expect(of('BTC')).toMatchObject({
      name: 'Bitcoin',
      symbol: 'BTC',
      network: 'BTC',
      decimals: 8,
      transferKind: 'NON_EVM',
      chainId: null,
      contractAddress: null,
    });
    expect(of('ETH (BASE)')).toMatchObject({
      transferKind: 'EVM_NATIVE',
      chainId: 8453,
      contractAddress: null,
      decimals: 18,
    });
    expect(of('USDC (ERC20)')).toMatchObject({
      transferKind: 'EVM_ERC20',
      chainId: 1,
      contractAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      rateUSD: 1,
    });
    for (const { icon, rateUSD, rateAt } of body) {
      expect(decodeURIComponent(icon)).toMatch(/^data:image\/svg\+xml,<svg .*<\/svg>$/);
      expect(rateUSD).toBeGreaterThan(0);
      expect(Math.abs(Date.now() - Date.parse(rateAt))).toBeLessThan(600_000);
    }
  });

  it('is fetched again when it is old, and serves for an hour while the processor is away', async () => {
    const { cryptoDeposits } = databaseOn(service.pool());
    const processor = service.crypto();
    const all = await processor.currencies();
    const original = { currencies: () => Promise.resolve(all) };
    let fetched = 0;
    try {
      Object.assign(processor, { currencies: () => (fetched++, Promise.reject(new Error('away'))) });
      await letListAge(4);
      expect([(await user.call('GET', '/crypto/currencies')).status, fetched]).toEqual([200, 0]);
      await letListAge(59);
      expect([(await user.call('GET', '/crypto/currencies')).status, fetched]).toEqual([200, 1]);
      await letListAge(61);
      expect((await user.call('GET', '/crypto/currencies')).body).toMatchObject({
        status: 502,
        code: 'upstream_unavailable',
      });
      Object.assign(processor, { currencies: () => Promise.resolve(all.slice(1)) });
      expect((await user.call('GET', '/crypto/currencies')).body).toHaveLength(coins.length - 1);
      expect(await cryptoDeposits.listed()).toHaveLength(coins.length - 1);
    } finally {
      Object.assign(processor, original);
      await letListAge(6);
      await user.call('GET', '/crypto/currencies');
    }
  });
});
