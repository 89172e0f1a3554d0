// GET /billing/overview: the caller's current credits and storage costs.
import * as z from 'zod';
import { mayHaveFreeCredits } from '../../orchestration/billing/free-credits.ts';
import { exhaustionOf, storagePriceOf } from '../../domain/billing/credits.ts';
import { timestamp } from '../fields.ts';
import { operation } from '../operation.ts';

export const overview = z
  .object({
    id: z.string().describe('ID of the user.'),
    billing: z.object({
      id: z.string(),
      balance: z.number().describe('Credits before the use of running streams since they went live is subtracted.'),
      creditsLeft: z
        .number()
        .describe(
          'Credits left now: balance minus the use of running streams. Live streams stop up to five minutes after it ' +
            'reaches zero.',
        ),
      creditsPerHour: z.number().describe('Credits per hour that the live streams cost now.'),
      creditsExhaustedAt: timestamp
        .nullable()
        .describe('Time when the credits run out if the live streams keep running. null: no stream is live.'),
      eligibleForFreeCredits: z.boolean().describe('true: the user will receive free credits.'),
      goodStanding: z.boolean().describe('true: the user owes nothing, and no payment is disputed.'),
    }),
    storage: z
      .object({
        storedBytes: z.number().describe("Total size of the user's uploads."),
        freeBytes: z.number().describe('Size that is free of charge.'),
        creditsPerGiBMonth: z
          .number()
          .describe(
            'Price of storage beyond freeBytes, in credits per GiB and 720 hours. Storage is measured every hour ' +
              'and charged once a day.',
          ),
        chargedFrom: z.iso
          .date()
          .nullable()
          .describe(
            'Next day (UTC) that is charged if the uploads are larger than freeBytes. null: the user is ' +
              'notified before the first charge.',
          ),
        creditsLast30Days: z.number().describe('Credits charged for storage in the last 30 days.'),
      })
      .meta({ id: 'StorageCost' }),
  })
  .meta({ id: 'BillingOverview' });

export const getBillingOverview = operation(['service:read', 'service:billing'], {
  summary: 'Get the billing overview',
  description: 'Returns the current credits and the cost of storage. One credit is one US cent.',
  tag: 'billing',
  route: 'GET /billing/overview',
  output: { status: 200, body: overview },
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
