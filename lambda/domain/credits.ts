// What live time costs. One credit is one US cent.
import type { Framerate, Quality } from './video-format.ts';

interface PriceTable {
  readonly version: string;
  /** Intervals that begin from then on cost this. Those that run keep their price. */
  readonly effectiveFrom: string;
  /** Credits per live hour, at up to 30 and at 60 frames per second. */
  readonly creditsPerHour: Readonly<Record<Quality, { readonly upTo30: number; readonly at60: number }>>;
  /** What a backup replica costs, as a share of that. */
  readonly backupShare: number;
}

/** Oldest first. A new price is a new table (operations, part 3). */
export const priceTables: readonly PriceTable[] = [
  {
    version: '1',
    effectiveFrom: '2020-01-01T00:00:00Z',
    creditsPerHour: {
      q_720p: { upTo30: 25, at60: 35 },
      q_1080p: { upTo30: 39, at60: 69 },
      q_1440p: { upTo30: 89, at60: 139 },
      q_2160p: { upTo30: 169, at60: 199 },
    },
    backupShare: 1,
  },
];

export interface Price {
  readonly version: string;
  readonly creditsPerHour: number;
}

/** What a replica costs whose interval begins at `at`. */
export function priceOf(
  replica: { readonly role: 'primary' | 'backup'; readonly quality: Quality; readonly framerate: Framerate },
  at: Date,
  tables: readonly PriceTable[] = priceTables,
): Price {
  const table = tables.findLast(({ effectiveFrom }) => new Date(effectiveFrom) <= at) ?? tables[0]!;
  const { upTo30, at60 } = table.creditsPerHour[replica.quality];
  const share = replica.role === 'backup' ? table.backupShare : 1;
  return { version: table.version, creditsPerHour: (replica.framerate === 'f_60' ? at60 : upTo30) * share };
}
