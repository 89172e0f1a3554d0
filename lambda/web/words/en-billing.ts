// The words of billing: a part of the catalogue.
import type { InvoiceState, InvoiceType } from '../../domain/billing/invoices.ts';
import type { CryptoDeposit } from '../app/types.ts';

type DepositState = CryptoDeposit['state'];

export const billing = {
  title: 'Billing',
  left: 'Credits left',
  worth: (dollars: string) => `worth ${dollars}`,
  burn: (credits: string) => `What is live now costs ${credits} credits an hour.`,
  lasts: (at: string) => `They last until ${at}.`,
  free: 'Free credits are on their way.',
  bad: 'Something is owed or disputed: streams do not start before it is settled.',
  topUp: 'Add credits',
  amount: 'Dollars',
  toCheckout: 'Go to the checkout',
  checkoutHint: 'One credit is one US cent. You pay on the payment provider’s page and come back.',
  usage: 'Last 30 days',
  day: 'Day',
  hoursLive: 'Hours live',
  creditsSpent: 'Credits',
  bytesSent: 'Sent',
  noUsage: 'Nothing was live in the last 30 days.',
  invoices: 'Invoices',
  noInvoices: 'No invoices yet.',
  receipt: 'Receipt',
  paid: 'Thank you: the payment is on its way here. Credits are there as soon as it is confirmed.',
  added: (credits: string) => `Thank you: ${credits} credits have been added.`,
  stored: (stored: string, free: string) => `${stored} stored; ${free} cost nothing.`,
  types: {
    credit_purchase: 'Credits bought',
    free_credits: 'Free credits',
    adjustment: 'Adjustment',
  } satisfies Record<InvoiceType, string>,
  invoiceStates: {
    pending: 'pending',
    paid: 'paid',
    cancelled: 'cancelled',
    expired: 'expired',
    refunded: 'refunded',
  } satisfies Record<InvoiceState, string>,
  coins: {
    title: 'Pay with a coin',
    currency: 'Coin',
    choose: 'Choose one',
    rate: (symbol: string, dollars: string) =>
      `One ${symbol} is ${dollars} now. A deposit is credited by the rate at which it arrives, whatever its amount.`,
    address: (symbol: string, network: string) => `Your address for ${symbol} on the ${network} network`,
    only: (symbol: string, network: string) =>
      `Send ${symbol} on the ${network} network only: anything else that is sent there is lost.`,
    memo: 'Memo, without which a payment is lost',
    copyAddress: 'Copy the address',
    copyMemo: 'Copy the memo',
    picture: 'The address as a QR code',
    deposits: 'Deposits',
    states: {
      confirming: 'seen, and waits for its confirmations',
      confirmed: 'credited',
      failed: 'failed',
    } satisfies Record<DepositState, string>,
    tooLittle: 'too little to be credited by itself',
  },
};
