// GET /prices: the public prices of live time and storage.
import * as z from 'zod';
import { tableAt } from '../../domain/billing/credits.ts';
import { qualities } from '../../domain/shared/video-format.ts';
import { quality } from '../fields.ts';
import { publicOperation } from '../operation.ts';

const price = z.object({
  quality,
  upTo30: z.number().describe('Credits per hour at up to 30 frames per second.'),
  at60: z.number(),
});

export const prices = z
  .object({
    currency: z.literal('USD'),
    creditsPerUnit: z.number().describe('Number of credits that one unit of the currency buys.'),
    effectiveFrom: z.iso.datetime(),
    creditsPerHour: z.array(price).describe('Price of the first output of a live stream.'),
    backupShare: z.number().describe('Price of a backup, as a share of the price of the first output.'),
    furtherShare: z.number().describe('Price of each additional output, as a share of the price of the first output.'),
    creditsPerGiBMonth: z.number().describe('Credits per GiB and month for uploads beyond the free storage.'),
  })
  .meta({ id: 'Prices' });

export const listPrices = publicOperation({
  summary: 'List prices',
  description: 'Returns the current prices.',
  tag: 'service',
  route: 'GET /prices',
  output: { status: 200, body: prices },
  async handle({ now }) {
    const table = tableAt(now);
    const { effectiveFrom, creditsPerHour, backupShare, furtherShare, creditsPerGiBMonth } = table;
    return {
      currency: 'USD' as const,
      creditsPerUnit: 100,
      effectiveFrom,
      creditsPerHour: qualities.map((size) => ({ quality: size, ...creditsPerHour[size] })),
      backupShare,
      furtherShare,
      creditsPerGiBMonth,
    };
  },
});
