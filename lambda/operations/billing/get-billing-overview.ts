// GET /billing/overview: the caller's credits at this instant.
import * as z from 'zod';
import { mayHaveFreeCredits } from '../../orchestration/free-credits.ts';
import { operation } from '../operation.ts';

const overview = z
  .object({
    id: z.string().describe('Of the user.'),
    billing: z.object({
      id: z.string(),
      balance: z
        .number()
        .describe('Credits, without what streams that are live right now have used since they went live.'),
      creditsLeft: z
        .number()
        .describe(
          'Credits at this instant: balance less what running streams have used. ' +
            'Streams stop five minutes after it reaches zero.',
        ),
      eligibleForFreeCredits: z.boolean().describe('Free credits are on their way.'),
      goodStanding: z.boolean().describe('Nothing is owed, and no payment is disputed.'),
    }),
  })
  .meta({ id: 'BillingOverview' });

export const getBillingOverview = operation(['service:read', 'service:billing'], {
  id: 'getBillingOverview',
  summary: 'Get the billing overview',
  description: 'The credits that are left at this instant. One credit is one US cent.',
  tag: 'billing',
  method: 'GET',
  path: '/billing/overview',
  output: { status: 200, body: overview },
  errors: [],
  async handle(ctx) {
    const { userID } = ctx.caller;
    const account = await ctx.data.creditAccounts.overview(userID, await ctx.data.now());
    return {
      id: userID,
      billing: {
        id: `bil_${userID}`,
        balance: account.balance,
        creditsLeft: account.credits_left,
        eligibleForFreeCredits: await mayHaveFreeCredits(ctx.data, userID),
        goodStanding: account.credits_left >= 0 && !account.any_open_dispute,
      },
    };
  },
});
