// GET /playlists/{id}: returns one playlist, with its draft and its live version.
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { playlistSchema, presentPlaylist } from './playlist-schema.ts';

export const getPlaylist = operation(['service:read'], {
  summary: 'Get a playlist',
  description: 'Returns a playlist. Edits change draft; the stream plays live. Items with a failure are not played.',
  tag: 'playlists',
  route: 'GET /playlists/{id}',
  readsMuch: true,
  output: { status: 200, body: playlistSchema },
  handle: async (ctx, { params }) =>
    presentPlaylist(ctx, orNotFound(await ctx.data.playlists.find(ctx.caller.userID, params.id), 'playlist')),
});
