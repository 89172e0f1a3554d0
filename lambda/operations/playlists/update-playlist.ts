// PATCH /playlists/{id}: renames a playlist.
import * as z from 'zod';
import { orNotFound } from '../fields.ts';
import { operation } from '../operation.ts';
import { playlistName, playlistSchema, presentPlaylist } from './playlist-schema.ts';

export const updatePlaylist = operation(['service:write'], {
  summary: 'Rename a playlist',
  description:
    'Renames a playlist. An absent name stays unchanged; null clears it. To change its items, use ' +
    'apply_playlist_operations.',
  tag: 'playlists',
  route: 'PATCH /playlists/{id}',
  body: z.strictObject({ name: playlistName.nullish().describe('Name for people.') }),
  output: { status: 200, body: playlistSchema },
  async handle(ctx, { params, body }) {
    const { id, name } = orNotFound(await ctx.data.playlists.lock(ctx.caller.userID, params.id), 'playlist');
    return presentPlaylist(ctx, await ctx.data.playlists.rename(id, body.name === undefined ? name : body.name));
  },
});
