// The words of billing: a part of the catalogue.
import type { InvoiceState, InvoiceType } from '../../domain/billing/invoices.ts';
import type { CryptoDeposit } from '../app/types.ts';

type DepositState = CryptoDeposit['state'];

export const billing = {
  title: 'Billing',
  left: 'Credits left',
  worth: (dollars: string) => `worth ${dollars}`,
  burn: (credits: string) => `Live streams cost ${credits} credits an hour.`,
  lasts: (at: string) => `They last until ${at}.`,
  free: 'Free credits are on their way.',
  bad: 'A payment is owed or disputed: no stream starts before that is resolved.',
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
  paid: 'Thank you. Your credits arrive as soon as the payment is confirmed.',
  added: (credits: string) => `Thank you: ${credits} credits have been added.`,
  stored: (stored: string, free: string) => `${stored} stored; ${free} are free.`,
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
      `One ${symbol} is ${dollars} now. A deposit of any amount is credited at the rate when it arrives.`,
    address: (symbol: string, network: string) => `Your address for ${symbol} on the ${network} network`,
    only: (symbol: string, network: string) =>
      `Send ${symbol} on the ${network} network only: anything else that is sent there is lost.`,
    memo: 'Memo (a payment without it is lost)',
    copyAddress: 'Copy the address',
    copyMemo: 'Copy the memo',
    picture: 'The address as a QR code',
    deposits: 'Deposits',
    states: {
      confirming: 'seen, waiting for confirmations',
      confirmed: 'credited',
      failed: 'failed',
    } satisfies Record<DepositState, string>,
    tooLittle: 'too little to be credited by itself',
  },
};
