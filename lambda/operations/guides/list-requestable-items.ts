// GET /guides/{token}/requests: the items that viewers can ask for.
// Decision D232.
import * as z from 'zod';
import { foldedWords, hasWords } from '../../domain/programme/guest-search.ts';
import { itemsInTime } from '../../orchestration/playout/guest-requests.ts';
import { invalidCursor, pageOf, pageQuery, text } from '../fields.ts';
import { guestOperation } from '../operation.ts';
import { channelOfGuide } from './channel-of-guide.ts';
import { guideToken } from './guide-token.ts';

const requestableItem = z
  .object({
    id: z.string().describe('uploadID of request_item.'),
    title: z.string(),
    artist: z.string().nullable(),
    durationSeconds: z.number(),
  })
  .meta({ id: 'RequestableItem' });

export const listRequestableItems = guestOperation({
  summary: 'List items that viewers can ask for',
  description:
    'Returns items of the collection that viewers can ask for now, in its order. An item may be missing or appear ' +
    'twice if the collection changes between two pages. Next: request_item.',
  tag: 'guides',
  route: 'GET /guides/{token}/requests',
  params: { token: guideToken },
  query: { ...pageQuery, q: text(1, 100).optional().describe('Words of title and artist, or their beginnings.') },
  output: { status: 200, body: pageOf(requestableItem).meta({ id: 'RequestableItemPage' }) },
  errors: ['not_found', 'item_request_refused'],
  async handle(ctx, { params: { token }, query: { q = '', limit, cursor } }) {
    const channel = await channelOfGuide(ctx, token);
    const listID = `requests of ${channel.stream.id} ${q}`;
    const from = cursor === undefined ? 0 : ctx.cursors.open(listID, cursor);
    if (from === null) throw invalidCursor();
    const offered = itemsInTime(await ctx.offers(ctx.data, channel), channel, await ctx.data.now());
    const wanted = foldedWords(q);
    const found = offered.filter(({ words }) => hasWords(words, wanted));
    const end = from + limit;
    const hasMore = found.length > end;
    const data = found.slice(from, end);
    return { data, page: { hasMore, nextCursor: hasMore ? ctx.cursors.seal(listID, end) : '' } };
  },
});
