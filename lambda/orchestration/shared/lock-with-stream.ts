// Locks a playlist together with its stream: the stream first, as all code does.
import type { Database } from '../../data/database.ts';
import type { Playlist } from '../../data/playout/playlists.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** Locks both, so that the playlist stays with the stream until the transaction ends. Null: no such playlist. */
export async function lockWithStream(
  data: Database,
  playlistID: string,
): Promise<{ stream: Locked<Stream>; playlist: Locked<Playlist> } | null> {
  const seen = await data.playlists.findAny(playlistID);
  const stream = seen && (await data.streams.lockAny(seen.stream_id));
  const playlist = await data.playlists.lockAny(playlistID);
  if (!stream || !playlist) return null;
  // An update may have moved the playlist to another stream before the lock: then lock that stream.
  return playlist.stream_id === stream.id ? { stream, playlist } : lockWithStream(data, playlistID);
}
