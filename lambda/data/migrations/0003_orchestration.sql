-- What runs: agents with leases, replicas that they claim, what the replicas play, due times, and commands on their way out.

create table stream_transitions (
  id bigint generated always as identity primary key,
  stream_id text not null references streams on delete cascade,
  from_state text not null,
  to_state text not null,
  cause text not null,
  at timestamptz not null default now()
);
create index stream_transitions_by_stream on stream_transitions (stream_id, id desc);

create table agents (
  id text primary key,
  supervisor text not null,
  release text not null,
  started_at timestamptz not null default now(),
  lease_expires_at timestamptz not null
);

-- The row is the work: a replica wanted live and held by no agent is what agents claim. The epoch grows with every claim and
-- fences writes of an agent that lost it.
create table replicas (
  id text primary key,
  stream_id text not null references streams on delete cascade,
  role text not null check (role in ('primary', 'backup')),
  backend text not null check (backend in ('ffmpeg', 'manifest')),
  slots integer not null,
  wanted text not null default 'live' check (wanted in ('live', 'ended')),
  state text not null default 'waiting' check (state in ('waiting', 'connecting', 'live', 'failing', 'ended')),
  reason jsonb,
  since timestamptz not null default now(),
  agent_id text references agents on delete set null,
  epoch integer not null default 0,
  requested_at timestamptz not null default now(),
  unique (stream_id, role)
);
create index replicas_to_claim on replicas (backend, requested_at) where agent_id is null and wanted = 'live';
create index replicas_by_agent on replicas (agent_id);

-- What a stream plays from when on. Self-contained: later edits and deletions of playlists do not reach into it.
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

-- Things that happen at a time. One row per stream and kind; fired by agents' renewals and by the minute sweep.
create table due_times (
  stream_id text not null references streams on delete cascade,
  kind text not null check (kind in ('schedule_start', 'schedule_end', 'duration_over', 'activation_timeout')),
  due_at timestamptz not null,
  -- A timer wakes somebody up at the time itself, even if no agent runs.
  timer_armed boolean not null default false,
  primary key (stream_id, kind)
);
create index due_times_by_time on due_times (due_at);

create table outbox (
  id bigint generated always as identity primary key,
  queue text not null check (queue in ('publish-ffmpeg', 'publish-manifest', 'media', 'imports', 'timers')),
  body jsonb not null,
  created_at timestamptz not null default now(),
  visible_at timestamptz not null default now(),
  receives integer not null default 0,
  receipt uuid,
  dead_at timestamptz,
  timer_id text unique
);
create index outbox_due on outbox (queue, visible_at) where dead_at is null;

create function notify_outbox() returns trigger language plpgsql as $$
begin
  perform pg_notify('outbox', new.queue);
  return null;
end $$;
create trigger outbox_notify after insert or update of visible_at on outbox
  for each row when (new.receipt is null) execute function notify_outbox();
