// The billing page: the balance of credits, ways to buy more, their use, and payments.
import type { ReactNode } from 'react';
import { call } from '../app/api.ts';
import { formatBytes, formatDollars, formatMoment, formatNumber } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { PagedRows } from '../app/paged-rows.tsx';
import { useParameter } from '../app/router.tsx';
import type { Invoice } from '../app/types.ts';
import { usePages } from '../app/use-pages.ts';
import { Field, Form } from '../form.tsx';
import { words } from '../words/en.ts';
import { CoinTopUp, Deposits } from './coins.tsx';

interface Overview {
  readonly billing: {
    readonly creditsLeft: number;
    readonly creditsPerHour: number;
    readonly creditsExhaustedAt: string | null;
    readonly eligibleForFreeCredits: boolean;
    readonly goodStanding: boolean;
  };
  readonly storage: { readonly storedBytes: number; readonly freeBytes: number };
}

interface Usage {
  readonly data: readonly {
    readonly start: string;
    readonly liveSeconds: number;
    readonly creditsSpent: number;
    readonly bytesSent: number;
  }[];
}

const overviewPath = '/billing/overview';
const invoicesPath = '/billing/invoices?limit=20';

export function BillingPage(): ReactNode {
  const overview = useLive<Overview>(overviewPath, 10_000);
  return (
    <div className="screen">
      <h1>{words.billing.title}</h1>
      <Paid invoiceID={useParameter('paid')} />
      <Loaded live={overview} path={overviewPath}>
        {({ billing, storage }) => (
          <section aria-labelledby="left">
            <h2 id="left">{words.billing.left}</h2>
            <p className="lead">
              {formatNumber(billing.creditsLeft)}{' '}
              <span className="hint">{words.billing.worth(formatDollars(billing.creditsLeft / 100))}</span>
            </p>
            {billing.creditsPerHour > 0 && (
              <p>
                {words.billing.burn(formatNumber(billing.creditsPerHour))}{' '}
                {billing.creditsExhaustedAt !== null && words.billing.lasts(formatMoment(billing.creditsExhaustedAt))}
              </p>
            )}
            {!billing.goodStanding && <p className="error">{words.billing.bad}</p>}
            {billing.eligibleForFreeCredits && <p className="hint">{words.billing.free}</p>}
            <p className="hint">
              {words.billing.stored(formatBytes(storage.storedBytes), formatBytes(storage.freeBytes))}
            </p>
          </section>
        )}
      </Loaded>
      <TopUp />
      <CoinTopUp />
      <Deposits />
      <UsageTable />
      <Invoices />
    </div>
  );
}

/** The message for a user who returns from the payment provider. */
function Paid({ invoiceID }: { readonly invoiceID: string }): ReactNode {
  const { items } = usePages<Invoice>(invoicesPath);
  if (invoiceID === '') return null;
  const paid = items.find(({ id, state }) => id === invoiceID && state === 'paid');
  return (
    <p className="notice" role="status">
      {paid ? words.billing.added(formatNumber(paid.credits)) : words.billing.paid}
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
      <h2 id="top-up">{words.billing.topUp}</h2>
      <Form action={words.billing.toCheckout} onSubmit={pay} className="in-row">
        <Field
          name="amount"
          label={words.billing.amount}
          type="number"
          min={1}
          max={10_000}
          step="0.01"
          defaultValue={20}
          hint={words.billing.checkoutHint}
        />
      </Form>
    </section>
  );
}

function UsageTable(): ReactNode {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const path = `/billing/usage?granularity=day&timeZone=${encodeURIComponent(zone)}`;
  const usage = useLive<Usage>(path, 60_000);
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">{words.billing.usage}</h2>
      <Loaded live={usage} path={path}>
        {({ data }) => {
          const used = data.filter(({ liveSeconds, creditsSpent }) => liveSeconds + creditsSpent > 0).toReversed();
          if (used.length === 0) return <p className="hint">{words.billing.noUsage}</p>;
          return (
            <div className="scrolled" tabIndex={0} role="group" aria-label={words.billing.usage}>
              <table>
                <thead>
                  <tr>
                    <th scope="col">{words.billing.day}</th>
                    <th scope="col">{words.billing.hoursLive}</th>
                    <th scope="col">{words.billing.creditsSpent}</th>
                    <th scope="col">{words.billing.bytesSent}</th>
                  </tr>
                </thead>
                <tbody>
                  {used.map(({ start, liveSeconds, creditsSpent, bytesSent }) => (
                    <tr key={start}>
                      <th scope="row">{new Date(start).toLocaleDateString(undefined, { dateStyle: 'medium' })}</th>
                      <td>{formatNumber(liveSeconds / 3600)}</td>
                      <td>{formatNumber(creditsSpent)}</td>
                      <td>{formatBytes(bytesSent)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          );
        }}
      </Loaded>
    </section>
  );
}

function Invoices(): ReactNode {
  return (
    <section aria-labelledby="invoices">
      <h2 id="invoices">{words.billing.invoices}</h2>
      <PagedRows pages={usePages<Invoice>(invoicesPath)} none={words.billing.noInvoices}>
        {(invoice) => (
          <li key={invoice.id}>
            <div>
              <strong>{words.billing.types[invoice.type]}</strong>
              <p className="hint">
                {formatMoment(invoice.createdAt)} · {words.billing.invoiceStates[invoice.state]}
              </p>
            </div>
            <p>
              {formatNumber(invoice.credits)}{' '}
              {invoice.receiptURL && <a href={invoice.receiptURL}>{words.billing.receipt}</a>}
            </p>
          </li>
        )}
      </PagedRows>
    </section>
  );
}
