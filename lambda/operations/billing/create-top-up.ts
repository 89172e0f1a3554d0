// POST /billing/top-ups: creates a link to pay for credits by card.
import * as z from 'zod';
import { smallestTopUpCents } from '../../domain/billing/invoices.ts';
import { timestamp } from '../fields.ts';
import { assertRoom } from '../limits.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';

const topUp = z
  .object({
    checkoutURL: z.url().describe('Page where a person pays. The credits arrive as soon as the payment is confirmed.'),
    invoiceID: z.string().describe('ID of the invoice, which stays pending until it is paid.'),
    amountCents: z.int32(),
    credits: z.number(),
    expiresAt: timestamp.describe('Time when the link expires. Create another link after that.'),
  })
  .meta({ id: 'TopUp' });

export const createTopUp = operation(['service:billing'], {
  summary: 'Create a card top-up link',
  description:
    'Creates a link to a payment page. One credit costs one US cent. Nothing is charged until a person pays at ' +
    'checkoutURL.',
  tag: 'billing',
  route: 'POST /billing/top-ups',
  body: z.strictObject({
    amountCents: z
      .int()
      .min(smallestTopUpCents)
      .max(1_000_000)
      .describe('Amount in US cents: 100 (1 dollar) to 1,000,000 (10,000 dollars).'),
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
