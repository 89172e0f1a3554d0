// GET /playlists: the caller's playlists, newest first.
import { id, pageOf, pageQuery, pageThrough } from '../fields.ts';
import { operation } from '../operation.ts';
import { playlistSchema, presentPlaylists } from './playlist-schema.ts';

export const listPlaylists = operation(['service:read'], {
  id: 'listPlaylists',
  summary: 'List playlists',
  description: 'Newest first. A playlist is an order of uploads that belongs to one stream.',
  tag: 'playlists',
  method: 'GET',
  path: '/playlists',
  query: { ...pageQuery, streamID: id.optional().describe('Only the playlists of this stream.') },
  output: { status: 200, body: pageOf(playlistSchema).meta({ id: 'PlaylistPage' }) },
  errors: ['invalid_cursor'],
  async handle(ctx, { query }) {
    const streamID = query.streamID ?? null;
    const { data, page } = await pageThrough(
      ctx,
      `playlists streamID=${streamID}`,
      query,
      (before, count) => ctx.data.playlists.list(ctx.caller.userID, streamID, before, count),
      (playlist) => playlist,
    );
    return { data: await presentPlaylists(ctx, data), page };
  },
});
