-- Playlists outlive their streams: stream_id then names a stream that is deleted, until playlist_ids of another stream
-- moves the playlist there. The previous release deletes the playlists of a stream itself, so it needs no cascade. A
-- playlist without a stream is to it one that cannot be published or deleted.
alter table playlists drop constraint playlists_stream_id_fkey;
