// The pages by which money comes in here: a checkout that anybody can pay at, and deposits out of nothing.
import { randomUUID } from 'node:crypto';
import type { SignedMessage } from '../../lambda/ports/payment/local-payment.ts';
import { callbackPaths } from '../../lambda/ports/payment-providers.ts';
import { SignedURLRefused } from '../../lambda/ports/object-store/signed-url.ts';
import { checkoutPath } from './connections.ts';
import type { LocalConnections } from './connections.ts';

export const depositPath = '/test-deposits';
/** Where the receipts of local payments are, by invoice. */
export const receiptPath = '/receipts/';

export type PaymentPages = (request: Request) => Promise<Response>;

/** Answers at these paths. What is done there arrives at the API as the providers' own signed messages, over HTTP. */
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
    return page(
      'Checkout',
      outcome === 'pay' ? `<p>Paid: ${opened.credits} credits.</p>` : '<p>Cancelled. Nothing was charged.</p>',
    );
  };

  const deposit: PaymentPages = async (request) => {
    if (request.method !== 'POST') return page('Test deposit', depositForm);
    const form = await request.formData();
    const text = (name: string) => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const status =
      text('status') === 'confirming' || text('status') === 'failed'
        ? (text('status') as 'confirming' | 'failed')
        : 'confirmed';
    const amount = Number(text('amount'));
    const message =
      amount > 0
        ? crypto.messageOf({
            address: text('address'),
            amount,
            transaction: text('transaction') || randomUUID(),
            status,
          })
        : null;
    if (!message)
      return page(
        'Test deposit',
        `<p>Give an address of get_crypto_deposit_address, and an amount above 0.</p>${depositForm}`,
        422,
      );
    await send(callbackPaths.crypto, message);
    return page('Test deposit', `<p>Reported as ${status}.</p>${depositForm}`);
  };

  return async (request) => {
    const { pathname } = new URL(request.url);
    try {
      const invoiceID = /^\/receipts\/(inv_\w+)$/.exec(pathname)?.[1];
      if (pathname.startsWith(receiptPath))
        return page(
          'Receipt',
          invoiceID ? `<p>Invoice ${invoiceID} was paid on this machine.</p>` : '<p>There is no such receipt.</p>',
          invoiceID ? 200 : 404,
        );
      return await (pathname === checkoutPath ? checkout(request) : deposit(request));
    } catch (error) {
      if (error instanceof SignedURLRefused)
        return page('Checkout', '<p>This link is not valid, or no longer. Make another with create_top_up.</p>', 403);
      throw error;
    }
  };
}

function checkoutForm({ amountCents, credits }: { readonly amountCents: number; readonly credits: number }): string {
  return `<p>${credits} streaming credits for <strong>$${(amountCents / 100).toFixed(2)}</strong>. No money changes hands on this machine.</p>
    <form method="post"><button name="outcome" value="pay">Pay</button> <button name="outcome" value="cancel">Cancel</button></form>`;
}

const depositForm = `<form method="post">
  <p><label>Deposit address<br><input name="address" required></label></p>
  <p><label>Amount in units of the currency<br><input name="amount" inputmode="decimal" required></label></p>
  <p><label>Transaction, to report the same one again (optional)<br><input name="transaction"></label></p>
  <p><label>Status<br><select name="status"><option>confirmed<option>confirming<option>failed</select></label></p>
  <button>Report it</button></form>`;

/** What is put in is ours: nothing that a caller sent is ever repeated. */
function page(title: string, content: string, status = 200): Response {
  const style =
    ':root{color-scheme:light dark;font:16px/1.5 system-ui}main{max-width:32rem;margin:10vh auto;padding:0 1rem}input,select{width:100%;font:inherit}button{font:inherit;padding:.4rem 1.2rem}';
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style><main><h1>${title}</h1>${content}</main></html>`;
  return new Response(html, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}
