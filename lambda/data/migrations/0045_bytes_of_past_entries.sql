-- Past runs are read in parts of a bounded size.

-- The length of the snapshot as JSON; null: an earlier release has written it.
alter table past_entries add column bytes integer;

create or replace function keep_past_run() returns trigger language plpgsql as $$
declare
  anchor timestamptz := date_trunc('milliseconds', old.anchored_at);
begin
  insert into past_runs (stream_id, anchored_at, ended_at, quality, framerate, video_codec, aspect, bytes)
  select old.id, anchor, greatest(old.anchored_at, coalesce(old.stopped_at, now())),
    old.run_quality, old.run_framerate, old.run_video_codec, old.run_aspect, sum(pg_column_size(snapshot))
  from timeline_entries where stream_id = old.id having count(*) > 0
  on conflict do nothing;
  insert into past_entries (stream_id, anchored_at, track, number, offset_seconds, playlist_id, snapshot, bytes)
  select old.id, anchor, track, number, offset_seconds, playlist_id, snapshot, bytes
  from timeline_entries where stream_id = old.id
  on conflict do nothing;
  return null;
end $$;
