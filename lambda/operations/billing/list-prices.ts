// GET /prices: what live time and storage cost, for everybody.
import * as z from 'zod';
import { tableAt } from '../../domain/billing/credits.ts';
import { qualities } from '../../domain/shared/video-format.ts';
import { quality } from '../fields.ts';
import { publicOperation } from '../operation.ts';

const price = z.object({
  quality,
  upTo30: z.number().describe('Credits an hour at up to 30 frames a second.'),
  at60: z.number(),
});

const prices = z
  .object({
    currency: z.literal('USD'),
    creditsPerUnit: z.number().describe('So many credits are bought with one unit of the currency.'),
    effectiveFrom: z.iso.datetime(),
    creditsPerHour: z.array(price).describe('For the first output of a stream while it is live.'),
    backupShare: z.number().describe('What a backup costs, as a share of that.'),
    furtherShare: z.number().describe('What each further output costs, as a share of that.'),
    creditsPerGiBMonth: z.number().describe('For uploads beyond what is free.'),
  })
  .meta({ id: 'Prices' });

export const listPrices = publicOperation({
  id: 'listPrices',
  summary: 'List prices',
  description: 'Those in force now.',
  tag: 'service',
  method: 'GET',
  path: '/prices',
  output: { status: 200, body: prices },
  errors: [],
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
