// The items that guests can ask for, kept for a moment.
// A collection of 10,000 members takes a tenth of a second to read, and a flood of guests would repeat it.
// Decision D232.
import { LRUCache } from 'lru-cache';
import type { Database } from '../data/database.ts';
import { loadOffered } from '../orchestration/playout/guest-requests.ts';
import type { AskedChannel, OfferedItem, Offers } from '../orchestration/playout/guest-requests.ts';

const keptSeconds = 15;
/** Items of all kept collections: a few of the largest, or hundreds of usual ones. */
const mostItems = 40_000;

export function createKeptOffers(): Offers {
  const kept = new LRUCache<
    string,
    readonly OfferedItem[],
    { readonly data: Database; readonly channel: AskedChannel }
  >({
    maxSize: mostItems,
    sizeCalculation: (items) => Math.max(1, items.length),
    ttl: keptSeconds * 1000,
    fetchMethod: (_key, _stale, { context: { data, channel } }) => loadOffered(data, channel),
  });
  return async (data, channel) => {
    const { id, updated_at: updatedAt } = channel.collection;
    return (await kept.fetch(`${id} ${updatedAt.getTime()}`, { context: { data, channel } })) ?? [];
  };
}
