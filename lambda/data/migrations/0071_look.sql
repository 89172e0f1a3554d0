-- What pictures look like: the shape of those of a stream, and how items of another shape are put into it.

-- As StreamLook of domain/look.ts; null: as every stream looks unless it says otherwise.
alter table streams add column look jsonb, add column run_aspect text;
alter table past_runs add column aspect text;

-- A run is in 16:9 unless whoever has begun it says otherwise afterwards: the release before asks for nothing else.
create function forget_aspect() returns trigger language plpgsql as $$
begin
  new.run_aspect := null;
  return new;
end $$;
create trigger streams_forget_aspect before update of run_quality on streams
  for each row execute function forget_aspect();

-- As framingOf of domain/look.ts; null: as with black bars.
create function framing_name(item_look jsonb, stream_look jsonb, width integer, height integer) returns text
language sql immutable parallel safe as $$
  select case
    when abs(width * down - height * across) < height * across / 3840::double precision then null
    when framing ->> 'mode' <> 'pad' then framing ->> 'mode'
    else nullif('pad' || substr(framing ->> 'colour', 2), 'pad000000') end
  from (
    select coalesce(nullif(item_look, 'null') -> 'framing', stream_look -> 'framing') as framing,
      split_part(aspect, ':', 1)::integer as across, split_part(aspect, ':', 2)::integer as down
    from (select coalesce(stream_look ->> 'aspect', '16:9') as aspect) as shape) as framed
$$;

create or replace function keep_past_run() returns trigger language plpgsql as $$
declare
  anchor timestamptz := date_trunc('milliseconds', old.anchored_at);
begin
  insert into past_runs (stream_id, anchored_at, ended_at, quality, framerate, video_codec, aspect, bytes)
  select old.id, anchor, greatest(old.anchored_at, coalesce(old.stopped_at, now())),
    old.run_quality, old.run_framerate, old.run_video_codec, old.run_aspect, sum(pg_column_size(snapshot))
  from timeline_entries where stream_id = old.id having count(*) > 0
  on conflict do nothing;
  insert into past_entries (stream_id, anchored_at, track, number, offset_seconds, playlist_id, snapshot)
  select old.id, anchor, track, number, offset_seconds, playlist_id, snapshot
  from timeline_entries where stream_id = old.id
  on conflict do nothing;
  return null;
end $$;
