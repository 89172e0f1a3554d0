// The items that guests can ask for, kept for a moment.
// A collection of 10,000 members takes a tenth of a second to read, and a flood of guests would repeat it.
// Decision D232.
import { LRUCache } from 'lru-cache';
import type { Database } from '../data/database.ts';
import { loadOffered } from '../orchestration/playout/guest-requests.ts';
import type { AskedChannel, OfferedItem, Offers } from '../orchestration/playout/guest-requests.ts';
import { bytesOfItem, mostKeptBytes } from './kept-bytes.ts';

const keptSeconds = 15;

export function createKeptOffers(): Offers {
  const kept = new LRUCache<
    string,
    readonly OfferedItem[],
    { readonly data: Database; readonly channel: AskedChannel }
  >({
    maxSize: mostKeptBytes,
    sizeCalculation: bytesOfItems,
    ttl: keptSeconds * 1000,
    // Guests that wait for items get them, also if others need their place meanwhile.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context: { data, channel } }) => loadOffered(data, channel),
  });
  return async (data, channel) => {
    const { id, updated_at: updatedAt } = channel.collection;
    return (await kept.fetch(`${id} ${updatedAt.getTime()}`, { context: { data, channel } }))!;
  };
}

/** About the bytes that items take in memory. */
function bytesOfItems(items: readonly OfferedItem[]): number {
  return items.reduce((sum, { id, title, artist, words }) => sum + bytesOfItem([id, title, artist ?? '', ...words]), 1);
}
