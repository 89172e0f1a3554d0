-- Playlists can be made before the stream that plays them: stream_id is then null, until playlist_ids of a stream moves
-- the playlist there. To the previous release, such a playlist is one whose stream is deleted.
alter table playlists alter column stream_id drop not null;
