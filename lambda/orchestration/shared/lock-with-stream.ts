// Locks a playlist together with its stream: the stream first, as all code does.
import type { Database } from '../../data/database.ts';
import type { Playlist } from '../../data/playout/playlists.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** A playlist with its stream. */
export interface LockedPlaylist {
  /** Null: it is deleted, or the playlist has none yet. */
  readonly stream: Locked<Stream> | null;
  readonly playlist: Locked<Playlist>;
}

/** Locks both, so that the playlist stays with the stream until the transaction ends. Null: no such playlist. */
export async function lockWithStream(data: Database, playlistID: string): Promise<LockedPlaylist | null> {
  const seen = await data.playlists.findAny(playlistID);
  const stream = seen && seen.stream_id !== null ? await data.streams.lockAny(seen.stream_id) : null;
  const playlist = seen && (await data.playlists.lockAny(playlistID));
  if (!playlist) return null;
  // An update may have moved the playlist to another stream before the lock: then lock that stream.
  if (playlist.stream_id !== seen.stream_id) return lockWithStream(data, playlistID);
  return { stream: stream?.deleted_at === null ? stream : null, playlist };
}
