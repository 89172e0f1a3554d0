// POST /billing/top-ups: a link to pay for credits by card.
import * as z from 'zod';
import { timestamp } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const topUp = z
  .object({
    checkoutURL: z.url().describe('Where to pay. The credits are there as soon as the payment is confirmed.'),
    invoiceID: z.string().describe('The invoice that it pays; pending until then.'),
    amountCents: z.int32(),
    credits: z.number(),
    expiresAt: timestamp.describe('After that the link is of no use; make another.'),
  })
  .meta({ id: 'TopUp' });

export const createTopUp = operation(['service:billing'], {
  id: 'createTopUp',
  summary: 'Create a card top-up link',
  description: 'One credit is one US cent. Nothing is charged before somebody pays at checkoutURL.',
  tag: 'billing',
  method: 'POST',
  path: '/billing/top-ups',
  body: z.strictObject({
    amountCents: z.int().min(100).max(1_000_000).describe('US cents: 100 (1 dollar) to 1,000,000.'),
  }),
  output: { status: 201, body: topUp },
  errors: ['limit_reached'],
  hints: { openWorld: true },
  async handle(ctx, { body: { amountCents } }) {
    await assertRoom(ctx, { pendingTopUps: 1 });
    const invoiceID = ctx.newID('inv');
    const credits = amountCents;
    const { url, expiresAt } = await ctx.payment
      .createCheckout({ invoiceID, amountCents, credits })
      .catch((cause: unknown) => {
        throw new ProblemError(
          'upstream_unavailable',
          'The payment provider did not answer. Nothing was charged; try again in a moment.',
          { cause },
        );
      });
    await ctx.data.invoices.insertPending({
      id: invoiceID,
      userID: ctx.caller.userID,
      type: 'credit_purchase',
      method: 'card',
      cost: amountCents / 100,
      credits,
    });
    return { checkoutURL: url, invoiceID, amountCents, credits, expiresAt };
  },
});
