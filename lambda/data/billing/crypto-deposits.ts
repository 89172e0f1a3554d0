// SQL of crypto deposits, their addresses, and the currencies that the processor accepts.
import type { CryptoCurrency } from '../../domain/billing/crypto-currency.ts';
import type { DepositReport } from '../../domain/billing/payment-reports.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface CryptoAddress {
  readonly id: string;
  readonly user_id: string;
  readonly currency_id: string;
  readonly network: string;
  /** Null until the processor has made it. */
  readonly address: string | null;
  readonly memo: string | null;
  readonly created_at: Date;
}

export interface Deposit {
  readonly id: string;
  readonly state: DepositReport['state'];
  readonly value_usd: number;
  readonly invoice_id: string | null;
}

export interface ListedDeposit extends Deposit {
  readonly currency_id: string;
  readonly network: string;
  readonly amount: number;
  readonly updated_at: Date;
}

export function cryptoDeposits(db: Queryable) {
  return {
    /** The currencies that the processor listed last, with the age of the list. */
    listed: () =>
      all<{ currency: CryptoCurrency; age_ms: number }>(
        db,
        `select currency, (extract(epoch from clock_timestamp() - fetched_at) * 1000)::float8 as age_ms
         from crypto_currencies where listed order by id`,
      ),

    /** Replaces the list. A currency that it no longer has stays, as unlisted. */
    saveList: (currencies: readonly CryptoCurrency[]) =>
      db.query(
        `with fetched as (select value ->> 'id' as id, value as currency from jsonb_array_elements($1)),
         gone as (update crypto_currencies set listed = false where listed and id not in (select id from fetched))
         insert into crypto_currencies (id, currency, listed, fetched_at)
         select id, currency, true, clock_timestamp() from fetched
         on conflict (id) do update
         set currency = excluded.currency, listed = true, fetched_at = excluded.fetched_at`,
        [JSON.stringify(currencies)],
      ),

    /** The user's address for a currency; a row with this id, without an address yet, if there is none. */
    ensureAddress: async (address: Pick<CryptoAddress, 'id' | 'user_id' | 'currency_id' | 'network'>) => {
      await db.query(
        `insert into crypto_addresses (id, user_id, currency_id, network) values ($1, $2, $3, $4)
         on conflict (user_id, currency_id) do nothing`,
        [address.id, address.user_id, address.currency_id, address.network],
      );
      return (await one<CryptoAddress>(db, 'select * from crypto_addresses where user_id = $1 and currency_id = $2', [
        address.user_id,
        address.currency_id,
      ]))!;
    },

    /** Records the address that the processor made, unless one is recorded. @returns the row with its address */
    fixAddress: async (id: string, { address, memo }: { readonly address: string; readonly memo: string | null }) =>
      (await one<CryptoAddress>(
        db,
        `update crypto_addresses
         set address = coalesce(address, $2), memo = case when address is null then $3 else memo end
         where id = $1 returning *`,
        [id, address, memo],
      ))!,

    findAddress: (id: string) => one<CryptoAddress>(db, 'select * from crypto_addresses where id = $1', [id]),

    findDeposit: (id: string) => one<Deposit>(db, 'select * from crypto_deposits where id = $1', [id]),

    /** The last deposits of a user, at all addresses. */
    ofUser: (userID: string, count: number) =>
      all<ListedDeposit>(
        db,
        `select d.id, a.currency_id, a.network, d.state, d.amount::float8 as amount, d.value_usd, d.invoice_id,
           d.updated_at
         from crypto_addresses a join crypto_deposits d on d.address_id = a.id
         where a.user_id = $1 order by d.updated_at desc, d.id limit $2`,
        [userID, count],
      ),

    saveDeposit: ({ id, addressID, state, amount, valueUSD }: DepositReport, at: Date) =>
      db.query(
        `insert into crypto_deposits (id, address_id, state, amount, value_usd, updated_at)
         values ($1, $2, $3, $4, round($5, 4), $6)
         on conflict (id) do update
         set state = excluded.state, amount = excluded.amount, value_usd = excluded.value_usd,
           updated_at = excluded.updated_at`,
        [id, addressID, state, amount, valueUSD, at],
      ),

    /** The confirmed deposits at an address that are not credited yet, in US dollars. */
    uncreditedUSD: async (addressID: string) =>
      (await one<{ usd: number }>(
        db,
        `select coalesce(sum(value_usd), 0) as usd
         from crypto_deposits d left join invoices i on i.id = d.invoice_id
         where d.address_id = $1 and d.state = 'confirmed' and (i.id is null or i.state <> 'paid')`,
        [addressID],
      ))!.usd,

    /** Gives an invoice to all confirmed deposits at an address that have none. */
    assignInvoice: (addressID: string, invoiceID: string) =>
      db.query(
        `update crypto_deposits set invoice_id = $2
         where address_id = $1 and state = 'confirmed' and invoice_id is null`,
        [addressID, invoiceID],
      ),

    setInvoice: (id: string, invoiceID: string) =>
      db.query('update crypto_deposits set invoice_id = $2 where id = $1', [id, invoiceID]),
  };
}
