-- What streams played, and what of it was on the air. A run that is over is kept as it was, until it is too old.

create table past_runs (
  stream_id text not null references streams on delete cascade,
  -- A stream begins one run at a time, so this names the run. In whole milliseconds, as everybody reckons from it.
  anchored_at timestamptz not null,
  ended_at timestamptz not null,
  -- When the next run began, which may be long after the end.
  kept_at timestamptz not null default now(),
  quality text not null,
  framerate text not null,
  video_codec text,
  -- Of its entries, as they are stored.
  bytes bigint not null,
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

-- A trigger, as the release before begins runs too. It comes before the entries of the run are deleted.
create function keep_past_run() returns trigger language plpgsql as $$
declare
  anchor timestamptz := date_trunc('milliseconds', old.anchored_at);
begin
  insert into past_runs (stream_id, anchored_at, ended_at, quality, framerate, video_codec, bytes)
  select old.id, anchor, greatest(old.anchored_at, coalesce(old.stopped_at, now())),
    old.run_quality, old.run_framerate, old.run_video_codec, sum(pg_column_size(snapshot))
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

-- Pictures that a destination has taken: those of one connection, or of a part of it without a gap. Agents say what
-- they have of it with their figures; here is what has been written down.
create table aired_frames (
  stream_id text not null references streams on delete cascade,
  anchored_at timestamptz not null,
  replica_id text not null,
  epoch integer not null,
  -- Counted from the anchor; the end is the first that was not taken.
  from_frame bigint not null,
  to_frame bigint not null,
  -- What was sent with them, as the destination's system acknowledged it.
  bytes bigint not null,
  -- What played in place of the item that the timeline has there; null: that item.
  stand_in_upload_id text,
  noted_at timestamptz not null default now(),
  primary key (replica_id, epoch, from_frame)
);
create index aired_frames_of_run on aired_frames (stream_id, anchored_at, from_frame);
create index aired_frames_by_time on aired_frames (noted_at);

-- item.started. Something is armed only for streams whose users have a webhook that asks for it.
alter table due_times
  drop constraint due_times_kind_check,
  add constraint due_times_kind_check check (kind in
    ('schedule_start', 'schedule_end', 'duration_over', 'activation_timeout', 'broadcast_rotation', 'item_start'));

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

-- What plays when a webhook begins to listen has begun already.
create function arm_item_starts() returns trigger language plpgsql as $$
begin
  insert into due_times (stream_id, kind, due_at)
  select id, 'item_start', now() from streams where user_id = new.user_id and state in ('active', 'failing')
  on conflict do nothing;
  return null;
end $$;
create trigger webhooks_item_start after insert or update of events, enabled on webhooks
  for each row when (new.enabled and 'item.started' = any (new.events)) execute function arm_item_starts();

-- Who has the token may read what the stream plays; of the token there is only its hash.
create table guide_links (
  stream_id text primary key references streams on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null default now()
);
