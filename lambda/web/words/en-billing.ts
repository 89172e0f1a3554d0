// The words of billing. They load with their screens.
import type { InvoiceState, InvoiceType } from '../../domain/billing/invoices.ts';
import type { CryptoDeposit } from '../app/types.ts';

type DepositState = CryptoDeposit['state'];

export const billingWords = {
  title: 'Billing',
  left: 'Credits left',
  worth: (dollars: string) => `worth ${dollars}`,
  burn: 'Credits an hour now',
  nothingLive: 'Nothing is live',
  lasts: (at: string) => `They last until ${at}`,
  free: 'Free credits are on their way.',
  bad: 'A payment is owed or disputed: no stream starts before that is resolved.',
  topUp: 'Add credits',
  amount: 'Dollars',
  toCheckout: 'Go to the checkout',
  checkoutHint: 'One credit is one US cent. You pay on the payment provider’s page and come back.',
  usage: 'Use',
  ranges: { day: 'Last 24 hours', month: 'Last 30 days', year: 'Last 12 months' },
  stream: 'Stream',
  allStreams: 'All streams',
  byStream: 'Use by stream',
  unnamed: (id: string) => `Unnamed or deleted (${id.slice(-6)})`,
  hoursLive: 'Hours live',
  creditsSpent: 'Credits',
  bytesSent: 'Sent',
  credits: (amount: string) => `${amount} credits`,
  total: (credits: string, hours: string, sent: string) => `${credits} credits · ${hours} h live · ${sent} sent`,
  noUsage: 'Nothing was live in this time.',
  columns: {
    date: 'Date',
    kind: 'For',
    amount: 'Amount',
    creditsColumn: 'Credits',
    state: 'State',
    receipt: 'Receipt',
  },
  prices: {
    title: 'Prices',
    quality: 'Quality',
    upTo30: 'Credits an hour, to 30 frames a second',
    at60: 'Credits an hour, at 60',
    more: (further: string, backup: string, storage: string) =>
      `A further output costs ${further} of it, a backup ${backup}. Storage above the free part costs ${storage} ` +
      'credits per GiB and month. Streams that are not live cost nothing.',
  },
  invoices: 'Invoices',
  noInvoices: 'No invoices yet.',
  receipt: 'Receipt',
  paid: 'Thank you. Your credits arrive as soon as the payment is confirmed.',
  added: (credits: string) => `Thank you: ${credits} credits have been added.`,
  stored: 'Stored',
  storedFree: (free: string) => `${free} are free`,
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
