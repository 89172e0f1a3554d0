// Local pages instead of payment providers: a checkout, and deposits of test money.
import { randomUUID } from 'node:crypto';
import type { TestDeposit } from '../../lambda/ports/payments/local-crypto-processor.ts';
import type { SignedMessage } from '../../lambda/ports/payments/local-payment.ts';
import { callbackPaths } from '../../lambda/ports/payments/payment-providers.ts';
import { SignedURLRefused } from '../../lambda/ports/object-store/signed-url.ts';
import { smallPageBrand, smallPageStyle } from '../../lambda/surfaces/small-page.ts';
import { checkoutPath } from './connections.ts';
import type { LocalConnections } from './connections.ts';

export const depositPath = '/test-deposits';
/** The prefix of the address of a local payment's receipt; the invoice's id follows. */
export const receiptPath = '/receipts/';

export type PaymentPages = (request: Request) => Promise<Response>;

/**
 * Creates the handler of `checkoutPath`, `depositPath` and paths below `receiptPath`. It notifies the API of a payment
 * as a provider does: by a signed message over HTTP.
 */
export function createPaymentPages(
  { payment, crypto }: Pick<LocalConnections, 'payment' | 'crypto'>,
  siteURL: string,
): PaymentPages {
  const send = async (path: string, { body, headers }: SignedMessage) => {
    const response = await fetch(siteURL + path, {
      method: 'POST',
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  };

  const checkout: PaymentPages = async (request) => {
    const { pathname, search } = new URL(request.url);
    const opened = payment.openCheckout(pathname + search);
    if (request.method !== 'POST') return page('Checkout', checkoutForm(opened));
    const outcome = (await request.formData()).get('outcome') === 'pay' ? 'pay' : 'cancel';
    for (const message of payment.messagesOf(opened, outcome)) await send(callbackPaths.payment, message);
    if (outcome === 'pay')
      return page('Checkout', `<p>Paid: ${opened.credits} credits.</p>${wayBack(`?paid=${opened.invoiceID}`)}`);
    return page('Checkout', `<p>Cancelled. Nothing was charged.</p>${wayBack('')}`);
  };

  const deposit: PaymentPages = async (request) => {
    if (request.method !== 'POST') return page('Test deposit', depositForm);
    const reported = readDeposit(await request.formData());
    const message = reported.amount > 0 ? crypto.messageOf(reported) : null;
    if (!message) {
      const wanted = '<p>Give an address of get_crypto_deposit_address, and an amount above 0.</p>';
      return page('Test deposit', wanted + depositForm, 422);
    }
    await send(callbackPaths.crypto, message);
    return page('Test deposit', `<p>Reported as ${reported.status}.</p>${depositForm}`);
  };

  return async (request) => {
    const { pathname } = new URL(request.url);
    try {
      if (pathname.startsWith(receiptPath)) return receipt(pathname.slice(receiptPath.length));
      return await (pathname === checkoutPath ? checkout(request) : deposit(request));
    } catch (error) {
      if (error instanceof SignedURLRefused)
        return page('Checkout', '<p>This link is not valid, or no longer. Make another with create_top_up.</p>', 403);
      throw error;
    }
  };
}

/** The link that leads back from a provider. */
const wayBack = (search: string) => `<p><a href="/billing${search}">Back to billing</a></p>`;

function receipt(invoiceID: string): Response {
  if (!/^inv_\w+$/.test(invoiceID)) return page('Receipt', '<p>There is no such receipt.</p>', 404);
  return page('Receipt', `<p>Invoice ${invoiceID} was paid on this machine.</p>`);
}

function checkoutForm({ amountCents, credits }: { readonly amountCents: number; readonly credits: number }): string {
  const price = `$${(amountCents / 100).toFixed(2)}`;
  return `<p>${credits} streaming credits for <strong>${price}</strong>. No money changes hands on this machine.</p>
    <form method="post">
      <button name="outcome" value="pay">Pay</button> <button name="outcome" value="cancel">Cancel</button>
    </form>`;
}

/** Parses the form of `depositForm`. The amount is NaN if the text is no number. */
function readDeposit(form: FormData): TestDeposit {
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const status = text('status');
  return {
    address: text('address'),
    amount: Number(text('amount')),
    transaction: text('transaction') || randomUUID(),
    status: status === 'confirming' || status === 'failed' ? status : 'confirmed',
  };
}

const depositForm = `<form method="post">
  <p><label>Deposit address<br><input name="address" required></label></p>
  <p><label>Amount in units of the currency<br><input name="amount" inputmode="decimal" required></label></p>
  <p><label>Transaction, to report the same one again (optional)<br><input name="transaction"></label></p>
  <p><label>Status<br><select name="status"><option>confirmed<option>confirming<option>failed</select></label></p>
  <button>Report it</button></form>`;

/** @param content HTML that must not contain text of callers: it is inserted unescaped */
function page(title: string, content: string, status = 200): Response {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${smallPageStyle}</style>
<main>${smallPageBrand}<h1>${title}</h1>${content}</main>
</html>`;
  return new Response(html, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}
