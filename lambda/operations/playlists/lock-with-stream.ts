// Locks a playlist of the caller's together with its stream, in the order in which everything that moves streams locks.
import type { Playlist } from '../../data/playlists.ts';
import type { Stream } from '../../data/streams.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../fields.ts';

/** Both stay locked, and the playlist with this stream, until the transaction ends. */
export async function lockWithStream(ctx: Context, playlistID: string): Promise<{ stream: Stream; playlist: Playlist }> {
  const seen = orNotFound(await ctx.data.playlists.find(ctx.caller.userID, playlistID), 'playlist');
  const stream = orNotFound(await ctx.data.streams.lockAny(seen.stream_id), 'playlist');
  const playlist = orNotFound(await ctx.data.playlists.lock(ctx.caller.userID, playlistID), 'playlist');
  // An update has moved it to another stream meanwhile.
  return playlist.stream_id === stream.id ? { stream, playlist } : lockWithStream(ctx, playlistID);
}
