// What it costs to start a stream every minute, to see that one can be: use that no user asks for.
import { byUse, hoursPerMonth, type ListPrice } from './list-prices.ts';
import type { StageResource } from './stage-resources.ts';

/**
 * What one start uses, by the code of `lambda/synthetic` and with pictures after 5 s; nobody has counted it in an
 * account. Between agents and S3 the way is free.
 */
const used: readonly (readonly [count: number, price: ListPrice])[] = [
  // Requests to the API, from the search for the stream to the last look at it, and what each of them passes.
  [12 / 1e6, byUse.apiRequests],
  [12 / 1e6, byUse.cloudFrontRequests],
  [12 / 1e6, byUse.edgeRequests],
  [24 / 1e6, byUse.webAclRequests],
  [13 / 1e6, byUse.lambdaRequests],
  // 10 s of the function, with a quarter of a GB, and 0.1 s for each request to it, with one.
  [10 * 0.25 + 12 * 0.1, byUse.lambdaCompute],
  // Segments and playlists of 8 s, and lists of them, which have the price of writes. 4 Mbit/s are kept for a day.
  [12 / 1e6, byUse.s3Writes],
  [(8 * 0.5e-3 * 24) / hoursPerMonth, byUse.s3Storage],
  [10 / 1e6, byUse.queueRequests],
];

export function provedStarts(functions: readonly StageResource[]) {
  const watching = functions.filter(({ properties }) => 'INGEST_BUCKET' in (properties.Environment?.Variables ?? {}));
  const starts = watching.length * hoursPerMonth * 60;
  const usdPerStart = used.reduce((sum, [count, { usd }]) => sum + count * usd, 0);
  return {
    what: 'A start each minute, to see that one can be',
    size: String(starts),
    usdPerMonth: starts * usdPerStart,
  };
}
