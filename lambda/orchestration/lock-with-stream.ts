// Locks a playlist together with its stream, in the order in which everything that moves streams locks.
import type { Database } from '../data/database.ts';
import type { Playlist } from '../data/playlists.ts';
import type { Stream } from '../data/streams.ts';

/** Both stay locked, and the playlist with this stream, until the transaction ends. Null when the playlist is gone. */
export async function lockWithStream(
  data: Database,
  playlistID: string,
): Promise<{ stream: Stream; playlist: Playlist } | null> {
  const seen = await data.playlists.findAny(playlistID);
  const stream = seen && (await data.streams.lockAny(seen.stream_id));
  const playlist = await data.playlists.lockAny(playlistID);
  if (!stream || !playlist) return null;
  // An update has moved it to another stream meanwhile.
  return playlist.stream_id === stream.id ? { stream, playlist } : lockWithStream(data, playlistID);
}
