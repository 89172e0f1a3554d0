// GET /billing/overview: the caller's credits at this instant.
import * as z from 'zod';
import { mayHaveFreeCredits } from '../../orchestration/billing/free-credits.ts';
import { exhaustionOf, storagePriceOf } from '../../domain/billing/credits.ts';
import { timestamp } from '../fields.ts';
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
      creditsPerHour: z.number().describe('What is live now costs so much.'),
      creditsExhaustedAt: timestamp.nullable().describe('With what is live now; null: nothing uses them up.'),
      eligibleForFreeCredits: z.boolean().describe('Free credits are on their way.'),
      goodStanding: z.boolean().describe('Nothing is owed, and no payment is disputed.'),
    }),
    storage: z
      .object({
        storedBytes: z.number().describe('Of uploads.'),
        freeBytes: z.number().describe('So many cost nothing.'),
        creditsPerGiBMonth: z.number().describe('For what is beyond, by the hour, taken once a day; in 720 hours.'),
        chargedFrom: z.iso
          .date()
          .nullable()
          .describe(
            'The next day, in UTC, that is charged if more than freeBytes are stored. Null: you are told first.',
          ),
        creditsLast30Days: z.number().describe('What storage has cost.'),
      })
      .meta({ id: 'StorageCost' }),
  })
  .meta({ id: 'BillingOverview' });

export const getBillingOverview = operation(['service:read', 'service:billing'], {
  id: 'getBillingOverview',
  summary: 'Get the billing overview',
  description: 'The credits that are left at this instant, and what storage costs. One credit is one US cent.',
  tag: 'billing',
  method: 'GET',
  path: '/billing/overview',
  output: { status: 200, body: overview },
  errors: [],
  async handle(ctx) {
    const { userID } = ctx.caller;
    const now = await ctx.data.now();
    const account = await ctx.data.creditAccounts.overview(userID, now);
    const storage = await ctx.data.storageCharges.figures(userID);
    return {
      id: userID,
      billing: {
        id: `bil_${userID}`,
        balance: account.balance,
        creditsLeft: account.credits_left,
        creditsPerHour: account.credits_per_hour,
        creditsExhaustedAt: exhaustionOf(
          {
            creditsLeft: account.credits_left,
            creditsPerHour: account.credits_per_hour,
            exhaustedAt: account.credits_exhausted_at,
          },
          now,
        ),
        eligibleForFreeCredits: await mayHaveFreeCredits(ctx.data, userID),
        goodStanding: account.credits_left >= 0 && !account.any_open_dispute,
      },
      storage: {
        storedBytes: storage.stored_bytes,
        freeBytes: ctx.settings.freeStoredGiB * 1024 ** 3,
        creditsPerGiBMonth: storagePriceOf(ctx.now),
        chargedFrom: storage.charged_from,
        creditsLast30Days: storage.credits_30_days,
      },
    };
  },
});
