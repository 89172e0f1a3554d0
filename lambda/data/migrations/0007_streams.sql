-- Streams, their transitions, and their due times.

-- The ids that a stream names are no foreign keys: a stream stays if its part is deleted, and becomes 'invalid'. Rows
-- change with each move of a stream. If their page has room, no index changes with them.
create table streams (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  name text,
  agent_mode_enabled boolean,
  run_backup_stream boolean,
  video_upload_id text,
  audio_upload_id text,
  destination_id text,
  playlist_ids text[] not null default '{}',
  prepared_playlist_ids text[] not null default '{}',
  quality text,
  framerate text,
  stream_backend text,
  stream_destination text,
  stream_duration_seconds integer check (stream_duration_seconds >= 0),
  managed_settings_id text,
  sealed_stream_key bytea,
  schedule_start_at timestamptz,
  schedule_end_at timestamptz,
  recurrence jsonb,
  status text not null default 'INACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  state text not null default 'draft' check (state in
    ('draft', 'invalid', 'scheduled', 'preparing', 'activating', 'active', 'failing', 'failed', 'stopping', 'stopped')),
  state_reason jsonb,
  processing_state text not null default 'idle' check (processing_state in ('idle', 'processing', 'failed')),
  last_transition_id bigint,
  -- The format of the current or last run: that of the stream, or its user's defaults, at the start of the run.
  run_quality text,
  run_framerate text,
  started_at timestamptz,
  stopped_at timestamptz,
  -- The time at which the first frame of the run was due: item 0 of lap 0 of its first timeline entry. Null until an
  -- agent is ready to send it.
  anchored_at timestamptz,
  stats jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Deleted while live: users no longer see it, and the row is deleted after its replicas have ended.
  deleted_at timestamptz,
  -- The measurements of the backup replica. `stats` has those of the primary.
  backup_stats jsonb,
  -- The requested codec of the stream, and that of the run. Null: H.264.
  video_codec text check (video_codec in ('h264', 'hevc', 'av1')),
  run_video_codec text check (run_video_codec in ('h264', 'hevc', 'av1')),
  -- As SoundSettings in domain/playout/sound.ts; null: the defaults.
  sound jsonb,
  -- Number of items of the run that are sent at their own level, because they are not measured or prepared yet. Null:
  -- not counted yet.
  pending_sound integer,
  -- Number of joins of the next minutes that are still cuts; null: no item has joins.
  pending_joins integer,
  -- As StreamLook in domain/playout/look.ts; null: the defaults.
  look jsonb,
  run_aspect text
) with (fillfactor = 70);
create index streams_by_user on streams (user_id, seq desc) where deleted_at is null;
create index streams_by_destination on streams (destination_id);
create index streams_by_video_upload on streams (video_upload_id);
create index streams_by_audio_upload on streams (audio_upload_id);
create index streams_by_playlist on streams using gin (playlist_ids);
create index streams_by_managed_settings on streams (managed_settings_id) where managed_settings_id is not null;
-- The streams that show an upload as their logo or stinger: read when the upload is examined, and before it is deleted.
create index streams_by_logo on streams ((look #>> '{overlays,logo,uploadID}'))
  where look #>> '{overlays,logo,uploadID}' is not null;
create index streams_by_stinger on streams ((look #>> '{stinger,uploadID}'))
  where look #>> '{stinger,uploadID}' is not null;
-- Running streams are few: they are counted on request.
create index streams_running on streams (user_id) where status = 'ACTIVE';
-- Its condition uses the status, which is equal in all states in which a stream is sent: with the state in an index,
-- each move of a stream wrote all indexes of the table.
create index streams_with_pending_sound on streams (id) where pending_sound is distinct from 0 and status = 'ACTIVE';
create trigger streams_added after insert on streams referencing new table as added
  for each statement execute function count_added('streams');
create trigger streams_gone after delete on streams referencing old table as gone
  for each statement execute function count_gone('streams');

create table stream_transitions (
  id bigint generated always as identity primary key,
  stream_id text not null references streams on delete cascade,
  from_state text not null,
  to_state text not null,
  cause text not null,
  at timestamptz not null default now()
);
create index stream_transitions_by_stream on stream_transitions (stream_id, id desc);
-- The sweep reads recently moved streams, and deletes old rows.
create index stream_transitions_by_time on stream_transitions (at);

-- Due times of streams: one row for each stream and kind. Renewals of agents and the sweep of each minute fire them.
create table due_times (
  stream_id text not null references streams on delete cascade,
  kind text not null check (kind in
    ('schedule_start', 'schedule_end', 'duration_over', 'activation_timeout', 'broadcast_rotation', 'item_start',
      'joins')),
  due_at timestamptz not null,
  -- A timer fires at the exact time, even if no agent runs.
  timer_armed boolean not null default false,
  -- A start that came due while its user's account was paused waits, with its time, until the account wakes.
  resting boolean not null default false,
  -- A copy of the stream's user. Due times are fired in turns of users, and reading the streams of 10,000 due times
  -- took longer than firing five of them.
  user_id text,
  primary key (stream_id, kind)
);
create index due_times_by_time on due_times (due_at);
create index due_times_resting on due_times (stream_id) where resting;
-- The due times of each user are read from an index: numbering the 10,000 due schedules of one user took 13 ms, each
-- time that five of them were fired.
create index due_times_of_user on due_times (user_id, (kind = 'item_start'), due_at, stream_id) where not resting;
create index due_times_users on due_times (due_at, user_id) where not resting;

create function set_user_of_due_time() returns trigger language plpgsql as $$
begin
  new.user_id := (select user_id from streams where id = new.stream_id);
  return new;
end $$;
create trigger due_times_user before insert on due_times for each row execute function set_user_of_due_time();

-- Changes and signals are written once per statement, because one statement moves thousands of streams at a loss of
-- agents.

-- Users see nearly every update of a stream, because measurements are in rows of agents. A stream that is deleted while
-- live stays until it has ended, and users do not see it.
create function note_streams() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), 'stream', id, deleted_at is not null from changed
  on conflict (user_id, xid, kind, id) do update set is_deleted = true where excluded.is_deleted;
  return null;
end $$;
create trigger streams_note_added after insert on streams referencing new table as added
  for each statement execute function note_added('stream');
create trigger streams_note_gone after delete on streams referencing old table as gone
  for each statement execute function note_gone('stream');
create trigger streams_note_changed after update on streams referencing new table as changed
  for each statement execute function note_streams();

create function signal_stream() returns trigger language plpgsql as $$
begin
  insert into incident_signals (user_id, kind, subject_id, stream_id, condition, detail)
  select n.user_id, 'stream_away', n.id, n.id,
    case when n.state in ('failing', 'failed') then 'wrong' when n.state = 'active' then 'well' else 'over' end,
    jsonb_build_object('name', n.name, 'state', n.state, 'reason', n.state_reason)
  from is_now n join was on was.id = n.id
  -- A retry alone does not make a stream well.
  where was.state <> n.state and n.state not in ('activating', 'preparing')
    and (n.state in ('failing', 'failed') or exists (select from begun_incident(n.user_id, 'stream_away', n.id)));
  if found then
    perform wake_incidents();
  end if;
  -- The end of the stream ends the incidents of outputs that were given up.
  insert into incident_signals (user_id, kind, subject_id, stream_id, output_id, condition, detail)
  select n.user_id, begun.kind, begun.subject_id, n.id, begun.output_id, 'over', '{}'
  from is_now n
  join was on was.id = n.id
  join lateral (
    select i.kind, i.subject_id, i.output_id from incidents i
    where i.user_id = n.user_id and i.kind = 'output_refused' and i.stream_id = n.id and i.ended_at is null
    union
    select s.kind, s.subject_id, s.output_id from incident_signals s
    where s.user_id = n.user_id and s.kind = 'output_refused' and s.stream_id = n.id) begun on true
  where was.state <> n.state and n.state in ('stopped', 'failed');
  if found then
    perform wake_incidents();
  end if;
  return null;
end $$;
-- Connections plan the statements of a trigger once, when the tables of signals are empty, and keep the plans: each of
-- thousands of streams that moved together then read all signals of the others.
alter function signal_stream() set enable_seqscan = off;
create trigger streams_signalled after update on streams referencing old table as was new table as is_now
  for each statement execute function signal_stream();
create trigger streams_signalled_gone after delete on streams
  for each row execute function signal_gone('stream_away');

create function record_stream_moved() returns trigger language plpgsql as $$
begin
  if exists (
    select from webhooks where user_id = new.user_id and enabled and 'stream.state_changed' = any (events)) then
    perform record_event(new.user_id, 'stream.state_changed', new.id, json_build_object(
      'streamID', new.id, 'streamStateID', new.last_transition_id::text, 'from', old.state, 'to', new.state,
      'cause', (select cause from stream_transitions where id = new.last_transition_id), 'reason', new.state_reason));
  end if;
  return null;
end $$;
create trigger streams_moved after update of last_transition_id on streams
  for each row when (old.last_transition_id is distinct from new.last_transition_id)
  execute function record_stream_moved();

-- An event that warns of the problem that is about to end an active stream.
create function record_stream_warned() returns trigger language plpgsql as $$
begin
  perform record_event(
    new.user_id, 'stream.warned', new.id, json_build_object('streamID', new.id, 'reason', new.state_reason));
  return null;
end $$;
create trigger streams_warned after update of state_reason on streams
  for each row when (
    new.state = 'active' and new.state_reason is not null and old.state_reason is distinct from new.state_reason)
  execute function record_stream_warned();

-- For tables with stream_id: clients see their rows as part of the stream.
create function note_stream_of() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), 'stream', id, deleted_at is not null from streams
  where id = coalesce(new.stream_id, old.stream_id)
  on conflict do nothing;
  return null;
end $$;
