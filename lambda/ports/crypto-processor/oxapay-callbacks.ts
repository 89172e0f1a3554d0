// OxaPay's messages about deposits at static addresses: their signature, and what they mean to us.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { DepositReport, PaymentEvent } from '../../domain/payment-reports.ts';
import { CallbackRefused } from '../callback-refused.ts';

/** Numbers come as numbers or as text. */
const decimal = z.union([z.number().nonnegative(), z.string().regex(/^\d+(\.\d+)?(e-?\d+)?$/i)]).transform(String);

/** https://docs.oxapay.com/webhook: what is read of a payment message. */
const message = z.object({
  type: z.string(),
  /** What the address was made for. */
  order_id: z.string().nullish(),
  txs: z
    .array(
      z.object({
        tx_hash: z.string().min(1),
        status: z.string(),
        received_amount: decimal,
        /** In US dollars, by the rate at which it arrived. */
        value: decimal,
        currency: z.string(),
        network: z.string(),
      }),
    )
    .nullish(),
});

/** HMAC-SHA512 of the raw body with the merchant key, in hexadecimal, as header `HMAC`. */
export function signOxapayMessage(merchantKey: string, body: string): string {
  return createHmac('sha512', merchantKey).update(body).digest('hex');
}

/**
 * A signature has no time in it: a message sent again says what is known, and changes nothing.
 * @throws {CallbackRefused}
 */
export function readOxapayEvent(merchantKey: string, body: string, headers: Headers): PaymentEvent {
  const expected = Buffer.from(signOxapayMessage(merchantKey, body));
  const given = Buffer.from(headers.get('hmac') ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new CallbackRefused('the signature is not valid for this message');
  const { type, order_id: addressID, txs } = message.parse(JSON.parse(body));
  // All that comes in concerns us: what names no address of ours waits for somebody to look.
  const incoming = type.toLowerCase() === 'payout' ? [] : (txs ?? []);
  return { id: sha256(body), reports: incoming.map((tx) => deposit(addressID ?? '', tx)) };
}

function deposit(addressID: string, tx: NonNullable<z.output<typeof message>['txs']>[number]): DepositReport {
  return {
    kind: 'deposit',
    // One transaction can pay several addresses and in several coins.
    id: `dep_${sha256(`${tx.network}/${tx.tx_hash}/${tx.currency}/${addressID}`).slice(0, 40)}`,
    addressID,
    state: stateOf(tx.status.toLowerCase()),
    amount: tx.received_amount,
    valueUSD: Number(tx.value),
  };
}

function stateOf(status: string): DepositReport['state'] {
  if (status === 'confirmed') return 'confirmed';
  return status === 'failed' || status === 'rejected' ? 'failed' : 'confirming';
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
