// OxaPay's messages about deposits at static addresses: verified and translated.
import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { DepositReport, PaymentEvent } from '../../domain/billing/payment-reports.ts';
import { sha256 } from '../../domain/shared/sha256.ts';
import { CallbackRefused } from './callback-refused.ts';

/** OxaPay writes decimal numbers as numbers or as text. */
const decimal = z.union([z.number().nonnegative(), z.string().regex(/^\d+(\.\d+)?(e-?\d+)?$/i)]).transform(String);

/** Fields of a payment message that are read (https://docs.oxapay.com/webhook). */
const message = z.object({
  type: z.string(),
  /** Our id of the address. */
  order_id: z.string().nullish(),
  txs: z
    .array(
      z.object({
        tx_hash: z.string().min(1),
        status: z.string(),
        received_amount: decimal,
        /** In US dollars, at the rate when the coins arrived. */
        value: decimal,
        currency: z.string(),
        network: z.string(),
      }),
    )
    .nullish(),
});

/** Value of the header `HMAC`: HMAC-SHA512 of the raw body with the merchant key, in hexadecimal. */
export function signOxapayMessage(merchantKey: string, body: string): string {
  return createHmac('sha512', merchantKey).update(body).digest('hex');
}

/**
 * Verifies and translates a message. Its signature has no time, but a replayed message changes nothing, since it
 * repeats known facts.
 * @throws {CallbackRefused} if the signature is missing or wrong
 */
export function readOxapayEvent(merchantKey: string, body: string, headers: Headers): PaymentEvent {
  const expected = Buffer.from(signOxapayMessage(merchantKey, body));
  const given = Buffer.from(headers.get('hmac') ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new CallbackRefused('the signature is not valid for this message');
  const { type, order_id: addressID, txs } = message.parse(JSON.parse(body));
  // All incoming payments concern us. One for an unknown address stays stored, for an operator to look into.
  const incoming = type.toLowerCase() === 'payout' ? [] : (txs ?? []);
  return { id: sha256(body), reports: deposits(addressID ?? '', incoming) };
}

type Transfer = NonNullable<z.output<typeof message>['txs']>[number];

/**
 * One transaction can pay several addresses, in several coins, and one address several times. The processor numbers
 * none of these, so the place in the message does.
 */
function deposits(addressID: string, transfers: readonly Transfer[]): DepositReport[] {
  const count = new Map<string, number>();
  return transfers.map((tx): DepositReport => {
    const name = `${tx.network}/${tx.tx_hash}/${tx.currency}/${addressID}`;
    const place = count.get(name) ?? 0;
    count.set(name, place + 1);
    return {
      kind: 'deposit',
      id: `dep_${sha256(place === 0 ? name : `${name}/${place}`).slice(0, 40)}`,
      addressID,
      state: stateOf(tx.status.toLowerCase()),
      amount: tx.received_amount,
      valueUSD: Number(tx.value),
    };
  });
}

function stateOf(status: string): DepositReport['state'] {
  if (status === 'confirmed') return 'confirmed';
  return status === 'failed' || status === 'rejected' ? 'failed' : 'confirming';
}
