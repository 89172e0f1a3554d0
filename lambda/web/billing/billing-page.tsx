// The billing page: the balance of credits, ways to buy more, their use, and payments.
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { formatBytes, formatMoment, formatNumber, formatSum } from '../app/format.ts';
import { Loaded } from '../app/loaded.tsx';
import { MoreButton } from '../app/more-button.tsx';
import { useParameter } from '../app/router.tsx';
import type { Invoice } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Field, Form } from '../form.tsx';
import { DataTable } from '../kit/data-table.tsx';
import { Numbers } from '../kit/numbers.tsx';
import { billingWords } from '#words/billing.ts';
import { balancePath, useBalance } from './balance.ts';
import { CoinTopUp, Deposits } from './coins.tsx';
import { PriceList } from './price-list.tsx';
import { UsageOverTime } from './usage.tsx';

const balanceEveryMs = 10_000;
const invoicesPath = '/billing/invoices?limit=20';

export function BillingPage(): ReactNode {
  return (
    <div className="screen">
      <h1>{billingWords.title}</h1>
      <Paid invoiceID={useParameter('paid')} />
      <Balance />
      <UsageOverTime />
      <div className="columns">
        <TopUp />
        <CoinTopUp />
      </div>
      <Deposits />
      <PriceList />
      <Invoices />
    </div>
  );
}

function Balance(): ReactNode {
  return (
    <Loaded live={useBalance(balanceEveryMs)} path={balancePath}>
      {({ billing, storage }) => (
        <>
          <Numbers
            numbers={[
              {
                name: billingWords.left,
                value: formatNumber(billing.creditsLeft),
                remark: billingWords.worth(formatSum(billing.creditsLeft / 100)),
              },
              {
                name: billingWords.burn,
                value: formatNumber(billing.creditsPerHour),
                remark:
                  billing.creditsExhaustedAt === null
                    ? billingWords.nothingLive
                    : billingWords.lasts(formatMoment(billing.creditsExhaustedAt)),
              },
              {
                name: billingWords.stored,
                value: formatBytes(storage.storedBytes),
                remark: billingWords.storedFree(formatBytes(storage.freeBytes)),
              },
            ]}
          />
          {!billing.goodStanding && <p className="error">{billingWords.bad}</p>}
          {billing.eligibleForFreeCredits && <p className="notice">{billingWords.free}</p>}
        </>
      )}
    </Loaded>
  );
}

/** The message for a user who returns from the payment provider. */
function Paid({ invoiceID }: { readonly invoiceID: string }): ReactNode {
  const { items } = usePages<Invoice>(invoicesPath);
  if (invoiceID === '') return null;
  const paid = items.find(({ id, state }) => id === invoiceID && state === 'paid');
  return (
    <p className="notice" role="status">
      {paid ? billingWords.added(formatNumber(paid.credits)) : billingWords.paid}
    </p>
  );
}

function TopUp(): ReactNode {
  const pay = async ({ amount }: Readonly<Record<string, string>>): Promise<void> => {
    const amountCents = Math.round(Number(amount) * 100);
    const { checkoutURL } = await call<{ checkoutURL: string }>('POST', '/billing/top-ups', { amountCents });
    location.assign(checkoutURL);
  };
  return (
    <section aria-labelledby="top-up">
      <h2 id="top-up">{billingWords.topUp}</h2>
      <Form action={billingWords.toCheckout} onSubmit={pay} className="in-row">
        <Field
          name="amount"
          label={billingWords.amount}
          type="number"
          min={1}
          max={10_000}
          step="0.01"
          defaultValue={20}
          hint={billingWords.checkoutHint}
        />
      </Form>
    </section>
  );
}

function Invoices(): ReactNode {
  const { first, path, items, more } = usePages<Invoice>(invoicesPath);
  return (
    <section aria-labelledby="invoices">
      <h2 id="invoices">{billingWords.invoices}</h2>
      <Loaded live={first} path={path}>
        {() => (items.length === 0 ? <p className="hint">{billingWords.noInvoices}</p> : <InvoiceTable rows={items} />)}
      </Loaded>
      <MoreButton more={more} />
    </section>
  );
}

function InvoiceTable({ rows }: { readonly rows: readonly Invoice[] }): ReactNode {
  const { date, kind, amount, creditsColumn, state, receipt } = billingWords.columns;
  return (
    <DataTable
      name={billingWords.invoices}
      columns={[date, kind, amount, creditsColumn, state, receipt]}
      numbers={[amount, creditsColumn]}
    >
      {rows.map((invoice) => (
        <tr key={invoice.id}>
          <th scope="row">{formatMoment(invoice.createdAt)}</th>
          <td>{billingWords.types[invoice.type]}</td>
          <td className="number">{formatSum(invoice.cost)}</td>
          <td className="number">{formatNumber(invoice.credits)}</td>
          <td>{billingWords.invoiceStates[invoice.state]}</td>
          <td>{invoice.receiptURL && <a href={invoice.receiptURL}>{billingWords.receipt}</a>}</td>
        </tr>
      ))}
    </DataTable>
  );
}
