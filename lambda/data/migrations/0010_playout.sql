-- Playlists, the timelines of runs with levels, joins and looks, and the record of aired frames.

create table playlists (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  stream_id text not null references streams on delete cascade,
  name text,
  kind text not null check (kind in ('video', 'audio')),
  version integer not null default 1,
  draft jsonb not null,
  live jsonb,
  -- The draft at the time of the request to publish it, until it is live.
  publishing jsonb,
  publish_status text not null default 'IDLE' check (publish_status in ('IDLE', 'PREPARING', 'FAILED')),
  publish_failure jsonb,
  publish_request bigint not null default 0,
  created_at timestamptz not null default now()
);
create index playlists_by_user on playlists (user_id, seq desc);
create index playlists_by_stream on playlists (stream_id);
create index playlists_preparing on playlists (id) where publish_status = 'PREPARING';
create index playlists_by_draft_item on playlists using gin ((draft -> 'items') jsonb_path_ops);
create index playlists_by_live_item on playlists using gin ((live -> 'items') jsonb_path_ops);
create trigger playlists_note_added after insert on playlists referencing new table as added
  for each statement execute function note_added('playlist');
create trigger playlists_note_gone after delete on playlists referencing old table as gone
  for each statement execute function note_gone('playlist');
create trigger playlists_note_changed after update on playlists
  for each row execute function note_changed('playlist');

create function items_of(p playlists) returns bigint language sql immutable as $$
  select greatest(jsonb_array_length(p.draft -> 'items'), coalesce(jsonb_array_length(p.live -> 'items'), 0)) $$;
create function count_playlists_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'playlistItems', sum(items_of(p))::bigint), note_use(user_id, 'playlists', count(*))
  from added p group by user_id order by user_id;
  return null;
end $$;
create function count_playlists_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'playlistItems', -sum(items_of(p))::bigint), note_use(user_id, 'playlists', -count(*))
  from gone p group by user_id order by user_id;
  return null;
end $$;
create function count_playlist_changed() returns trigger language plpgsql as $$
begin
  perform note_use(new.user_id, 'playlistItems', items_of(new) - items_of(old));
  return null;
end $$;
create trigger playlists_added after insert on playlists referencing new table as added
  for each statement execute function count_playlists_added();
create trigger playlists_gone after delete on playlists referencing old table as gone
  for each statement execute function count_playlists_gone();
create trigger playlists_changed after update of draft, live on playlists
  for each row execute function count_playlist_changed();

create function record_publish_ended() returns trigger language plpgsql as $$
begin
  if new.publish_status = 'FAILED' then
    perform record_event(new.user_id, 'playlist.publish_failed', new.id,
      json_build_object('playlistID', new.id, 'streamID', new.stream_id, 'failure', new.publish_failure));
  else
    perform record_event(new.user_id, 'playlist.published', new.id,
      json_build_object('playlistID', new.id, 'streamID', new.stream_id, 'version', new.live -> 'version'));
  end if;
  return null;
end $$;
create trigger playlists_published after update of live on playlists
  for each row when (new.live is not null and old.live is distinct from new.live)
  execute function record_publish_ended();
create trigger playlists_not_published after update of publish_status on playlists
  for each row when (new.publish_status = 'FAILED' and old.publish_status <> 'FAILED')
  execute function record_publish_ended();

create function signal_publish() returns trigger language plpgsql as $$
begin
  perform note_signal(new.user_id, 'publish_failed', new.id, new.stream_id, null,
    case when new.publish_status = 'FAILED' then 'wrong' else 'well' end,
    jsonb_build_object('name', new.name, 'reason', new.publish_failure));
  return null;
end $$;
create trigger playlists_signalled after update of publish_status on playlists
  for each row when (old.publish_status <> new.publish_status and new.publish_status <> 'PREPARING')
  execute function signal_publish();
create trigger playlists_signalled_gone after delete on playlists
  for each row execute function signal_gone('publish_failed');

-- The playlists that a run plays, each from a time on. Self-contained: later edits and deletions of playlists do not
-- change it.
create table timeline_entries (
  stream_id text not null references streams on delete cascade,
  track text not null check (track in ('video', 'audio')),
  number integer not null,
  -- Seconds after streams.anchored_at at which item 0 of lap 0 of this entry begins.
  offset_seconds double precision not null,
  playlist_id text,
  snapshot jsonb not null,
  primary key (stream_id, track, number)
);

-- A start writes entry 0 before it creates the replicas.
create function count_timeline_revision() returns trigger language plpgsql as $$
begin
  update replicas set timeline_revision = timeline_revision + 1 where stream_id = new.stream_id;
  return null;
end $$;
create trigger timeline_entries_count_revision after insert or update on timeline_entries
  for each row when (new.number > 0) execute function count_timeline_revision();

create table timeline_levels (
  stream_id text not null references streams on delete cascade,
  item_id text not null,
  upload_id text not null,
  -- For the occurrences that begin at this time of the run or later.
  from_seconds double precision not null,
  -- As SoundLevel in domain/playout/sound.ts; null: the item's own level.
  level jsonb,
  primary key (stream_id, item_id, upload_id, from_seconds)
);

-- Parts of items that differ from their renditions: joins, song titles and mixes, made once for all streams.
create table joins (
  -- A hash of the part, from placedPart in domain/playout/composition-parts.ts.
  name text primary key,
  -- As Part in that file.
  part jsonb not null,
  content_hashes text[] not null,
  state text not null default 'preparing' check (state in ('preparing', 'ready', 'failed')),
  asked_at timestamptz not null default now()
);
create index joins_by_content on joins using gin (content_hashes);
create index joins_by_time on joins (asked_at);
-- Rare parts are seldom needed again, so they are kept for a shorter time.
create index joins_rare_by_time on joins (asked_at) where part ? 'isRare';

create table timeline_joins (
  stream_id text not null references streams on delete cascade,
  name text not null,
  -- For the occurrences that begin at this time of the run or later; null: it is not made yet.
  from_seconds double precision,
  primary key (stream_id, name)
);
create index timeline_joins_by_name on timeline_joins (name);

-- Drawings over pictures, by their names in formats.
create table drawings (
  -- The name from drawingName in domain/playout/drawing-names.ts.
  name text primary key,
  -- As Drawing in domain/playout/drawings.ts.
  drawing jsonb not null,
  noted_at timestamptz not null default now()
);
create index drawings_by_time on drawings (noted_at);
create index drawings_with_captions on drawings ((drawing #>> '{captions,hash}'))
  where drawing #>> '{captions,hash}' is not null;

create table timeline_looks (
  stream_id text not null references streams on delete cascade,
  content_hash text not null,
  -- The name of the format of an existing rendition.
  format text not null,
  -- For the items that begin at this time of the run or later.
  from_seconds double precision not null,
  primary key (stream_id, content_hash, format)
);

-- Caption files, each once, by hash: a drawing names the file that it was made with.
create table captions (
  hash text primary key,
  file text not null,
  noted_at timestamptz not null default now()
);

-- Arms item.started for streams whose users have a webhook with this event.
create function arm_item_start() returns trigger language plpgsql as $$
begin
  insert into due_times (stream_id, kind, due_at)
  select new.id, 'item_start', case old.state when 'activating' then coalesce(new.anchored_at, now()) else now() end
  where exists (select from webhooks where user_id = new.user_id and enabled and 'item.started' = any (events))
  on conflict do nothing;
  return null;
end $$;
create trigger streams_item_start after update of state on streams
  for each row when (old.state in ('activating', 'failing') and new.state = 'active') execute function arm_item_start();

-- When a webhook subscribes to it, the current items have already begun.
create function arm_item_starts() returns trigger language plpgsql as $$
begin
  insert into due_times (stream_id, kind, due_at)
  select id, 'item_start', now() from streams where user_id = new.user_id and state in ('active', 'failing')
  on conflict do nothing;
  return null;
end $$;
create trigger webhooks_item_start after insert or update of events, enabled on webhooks
  for each row when (new.enabled and 'item.started' = any (new.events)) execute function arm_item_starts();

-- Past runs, kept unchanged until they are too old.
create table past_runs (
  stream_id text not null references streams on delete cascade,
  -- Identifies the run, because a stream begins one run at a time. In whole milliseconds, as all code computes with it.
  anchored_at timestamptz not null,
  ended_at timestamptz not null,
  -- The start of the next run, which may be long after the end.
  kept_at timestamptz not null default now(),
  quality text not null,
  framerate text not null,
  video_codec text,
  -- The stored size of its entries.
  bytes bigint not null,
  aspect text,
  primary key (stream_id, anchored_at)
);
create index past_runs_by_end on past_runs (ended_at);
create index past_runs_by_keeping on past_runs (kept_at);

-- The rows of timeline_entries.
create table past_entries (
  stream_id text not null,
  anchored_at timestamptz not null,
  track text not null,
  number integer not null,
  offset_seconds double precision not null,
  playlist_id text,
  snapshot jsonb not null,
  primary key (stream_id, anchored_at, track, number),
  foreign key (stream_id, anchored_at) references past_runs on delete cascade
);

-- Runs before the start of the next run deletes its entries.
create function keep_past_run() returns trigger language plpgsql as $$
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
create trigger streams_run_over after update of anchored_at on streams
  for each row when (old.anchored_at is not null and new.anchored_at is null and old.run_framerate is not null)
  execute function keep_past_run();

-- Frames that a destination has acknowledged: those of one connection, or of a part of it without a gap. Agents report
-- the latest ones with their measurements.
create table aired_frames (
  stream_id text not null references streams on delete cascade,
  anchored_at timestamptz not null,
  replica_id text not null,
  epoch integer not null,
  -- Counted from the anchor. The end is the first frame that was not acknowledged.
  from_frame bigint not null,
  to_frame bigint not null,
  -- Bytes that were sent with them, as the destination's system acknowledged them.
  bytes bigint not null,
  -- The upload that played instead of the timeline's item; null: that item.
  stand_in_upload_id text,
  noted_at timestamptz not null default now(),
  -- The output that sent them; null: the managed platform of the stream.
  output_id text,
  -- The upload whose sound played instead of the item of the audio track; null: that item, or no such track.
  sound_stand_in_upload_id text,
  primary key (replica_id, epoch, from_frame)
);
create index aired_frames_of_run on aired_frames (stream_id, anchored_at, from_frame);
create index aired_frames_by_time on aired_frames (noted_at);

-- Pictures of aired frames, made on request. They and their objects are deleted a day after the last request. No
-- foreign key, because the user may be deleted by then.
create table frames (
  object_key text primary key,
  user_id text not null,
  upload_id text not null,
  -- The frame of the item, on the grid of its format.
  frame integer not null,
  format text not null,
  width integer not null,
  state text not null default 'pending' check (state in ('pending', 'ready', 'failed')),
  -- The start of the state. Reset when the command of a pending picture is sent again.
  since timestamptz not null default now(),
  asked_at timestamptz not null default now(),
  -- Posters: the number of pictures at a fixed interval of an item, each its own object, that are made together. Null:
  -- the row is one picture of exactly its frame.
  posters smallint
);
create index frames_by_time on frames (asked_at);
create index frames_pending on frames (user_id) where state = 'pending';

-- Links to the guide of a stream. A client with the token may read the stream's schedule. Only the hash is stored.
create table guide_links (
  stream_id text primary key references streams on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null default now()
);
