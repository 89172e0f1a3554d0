// What an hour of looking at a stream costs: at its preview, and at its posters.
import { byUse, egressTiers } from './list-prices.ts';
import type { StreamKind } from './stream-hour-cost.ts';

/** How often there is something new to see. */
export interface LookTimes {
  readonly pieceSeconds: number;
  readonly posterSeconds: number;
}

export interface LookHourCost {
  readonly name: string;
  /** Of each who looks at the preview: what the bucket sends, and what is asked for. At the dearest tier of traffic. */
  readonly usdPreview: number;
  /** Once for all who look at the preview: the pieces that are written. */
  readonly usdPieces: number;
  /** Of each who looks at the poster, and has each new one. */
  readonly usdPoster: number;
  /** Once for all who look at the poster: the pictures that are written. Those of a loop are kept. */
  readonly usdPictures: number;
}

const bytesPerGB = 1e9;
const million = 1e6;
/** Pictures of 320 × 180 that were seen have 5 to 15 KB. */
const posterBytes = 10_000;
/** A function of this memory answers within this time. */
const call = { gigabytes: 1, seconds: 0.05 } as const;

export function lookHourCosts(
  kinds: readonly StreamKind[],
  { pieceSeconds, posterSeconds }: LookTimes,
): LookHourCost[] {
  const usdPerGB = Math.max(...egressTiers.map(({ price }) => price.usd));
  const usdOf = (bytes: number) => (bytes / bytesPerGB) * usdPerGB;
  const usdPerRequest =
    (byUse.apiRequests.usd + byUse.cloudFrontRequests.usd + byUse.webAclRequests.usd + byUse.lambdaRequests.usd) /
      million +
    call.gigabytes * call.seconds * byUse.lambdaCompute.usd;
  const usdPerRead = byUse.s3Reads.usd / million;
  return kinds.map(({ name, bitrateKbps }) => {
    const pieces = 3600 / pieceSeconds;
    const posters = 3600 / posterSeconds;
    return {
      name,
      usdPreview: usdOf(((bitrateKbps * 1000) / 8) * 3600) + pieces * (usdPerRequest + usdPerRead),
      usdPieces: (pieces * byUse.s3Writes.usd) / million,
      usdPoster: posters * (usdOf(posterBytes) + usdPerRequest + usdPerRead),
      usdPictures: (posters * byUse.s3Writes.usd) / million,
    };
  });
}
