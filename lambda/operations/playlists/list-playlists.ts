// GET /playlists: the caller's playlists, newest first.
import type { ListedPlaylist } from '../../data/playout/playlists.ts';
import { id, pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { playlistSchema, presentPlaylists } from './playlist-schema.ts';

/**
 * The most items of all playlists on a page. Such a page has about 2 MB, which MCP doubles to 4 MB. A Lambda function
 * can return at most 6 MB.
 */
const maxItemsOfPage = 10_000;

export const listPlaylists = operation(['service:read'], {
  summary: 'List playlists',
  description:
    'Returns playlists, newest first. A playlist is an ordered list of uploads. It belongs to one stream and ' +
    'outlives it; playlistIDs of another stream moves it there. A page ends early at 10,000 ' +
    'items.',
  tag: 'playlists',
  route: 'GET /playlists',
  query: { ...pageQuery, streamID: id.optional().describe('Only the playlists of this stream.') },
  output: { status: 200, body: pageOf(playlistSchema).meta({ id: 'PlaylistPage' }) },
  async handle(ctx, { query }) {
    const streamID = query.streamID ?? null;
    const { data, page } = await pageThrough(
      ctx,
      `playlists streamID=${streamID}`,
      query,
      (playlist: ListedPlaylist) => playlist,
      (before, count) => ctx.data.playlists.list(ctx.caller.userID, streamID, before, count, maxItemsOfPage),
      { sizeOf: (playlist) => playlist.item_count, maxSize: maxItemsOfPage },
    );
    return { data: await presentPlaylists(ctx, data), page };
  },
});
