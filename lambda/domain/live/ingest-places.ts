// The places of a live ingest: one for each input that a contributor sends to.
import type { Lanes } from '../fleet/lanes.ts';

/** The share of an ingest's places that one user may have, and at least one place. */
const shareOfUser = 1 / 4;

/** The places of an ingest for all users. @param count at least 1 */
export function ingestPlaces(count: number): Lanes {
  return { count, ofUser: Math.max(1, Math.floor(count * shareOfUser)) };
}
