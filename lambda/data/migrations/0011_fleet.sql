-- Agents, the replicas that they claim and send, and the measurements that they report.

create table agents (
  id text primary key,
  supervisor text not null,
  release text not null,
  started_at timestamptz not null default now(),
  lease_expires_at timestamptz not null,
  -- The last evidence that it runs: if it dies, the intervals of its replicas end at this time.
  renewed_at timestamptz not null default now(),
  -- The URL at which other agents check whether this agent or the database is unreachable; null: they cannot.
  peer_url text,
  -- The availability zone.
  zone text,
  -- Start of the time in which it has renewed its lease without losing it.
  renewing_since timestamptz not null default now(),
  -- Whether it hands over its replicas and claims no more.
  is_draining boolean not null default false,
  -- The kinds of streams that it claims.
  backends text[] not null,
  -- The capacity of its machine that it may use.
  capacity jsonb not null,
  -- The share of the capacity that its streams used at its last renewal.
  used_share double precision not null default 0,
  -- The reason why it claims no more although it may have room; null while it keeps up.
  behind_reason text,
  -- Whether all its slots for media commands are in use.
  is_media_full boolean not null default false,
  -- Seconds until a machine starts for a stream that is too large for this agent, in a stage without permanent
  -- machines. Null: no machine is started.
  machine_seconds integer check (machine_seconds > 0)
);

-- Measurements of all streams of an agent, written once a second: one row for each agent, for any number of streams.
-- Unlogged: after a crash, agents report again. The last measurements of a stream are in its own row.
create unlogged table agent_figures (
  agent_id text primary key references agents on delete cascade,
  -- For each replica a newline, ID/EPOCH, a space, and the measurements as JSON on one line. Written far more often
  -- than read, and read by position, so it is not compressed.
  lines text storage external not null
);

-- The newer of the measurements in the row of the stream and those that the holder of a claim reports.
create function latest_stats(kept jsonb, agent text, replica text, claim_epoch integer) returns jsonb
language sql stable as $$
  select stats
  from (
    select kept as stats
    union all
    select nullif(split_part(split_part(lines, E'\n' || replica || '/' || claim_epoch || ' ', 2), E'\n', 1), '')::jsonb
    from agent_figures where agent_id = agent) known
  where stats is not null order by stats ->> 'sampledAt' desc nulls last limit 1
$$;

-- The row is the work: agents claim wanted replicas without an agent. The epoch grows with every claim, and fences
-- writes of an agent that lost its claim. If the page of a row has room, its updates change no index.
create table replicas (
  id text primary key,
  stream_id text not null references streams on delete cascade,
  role text not null check (role in ('primary', 'backup')),
  backend text not null check (backend in ('ffmpeg', 'manifest')),
  wanted text not null default 'live' check (wanted in ('live', 'ended')),
  state text not null default 'waiting' check (state in ('waiting', 'connecting', 'live', 'failing', 'ended')),
  reason jsonb,
  since timestamptz not null default now(),
  agent_id text references agents on delete set null,
  epoch integer not null default 0,
  requested_at timestamptz not null default now(),
  -- Whether the holder offers it to others. The holder ends its connection when another agent has one.
  is_offered boolean not null default false,
  -- The agent that connects to the other URL of the destination while the holder still sends.
  successor_id text references agents on delete set null,
  -- Whether the holder publishes to the backup URL of the destination. Only the single replica of an output may.
  at_backup_url boolean not null default false,
  -- Its cost for an agent, see StreamCost in domain/fleet/capacity.ts.
  cores double precision not null,
  cores_beside_gpu double precision not null,
  thread double precision not null,
  memory_mib double precision not null,
  network_mbps double precision not null,
  gpu_megapixels double precision not null,
  -- The time since which it has been failing, across agents: after minutes of failing it releases its capacity, and
  -- after hours it is given up. Null while it is live, and until its first attempt.
  failing_since timestamptz,
  -- Number of changes of its timeline since its start: agents load a timeline only if it is newer.
  timeline_revision integer not null default 0,
  -- Null: the first output of the stream, or its managed platform.
  output_id text references outputs on delete cascade,
  -- The last measurements that an agent reported. Those of the first output are in the row of the stream.
  stats jsonb,
  -- A permanent failure: it has ended while other outputs of the stream continue.
  is_given_up boolean not null default false,
  -- Failures since it was last live, the time of the next attempt, and the last failure.
  failures integer not null default 0,
  next_attempt_at timestamptz,
  last_failure jsonb,
  traceparent text default nullif(current_setting('loop.traceparent', true), '')
) with (fillfactor = 70);
create unique index replicas_of_output on replicas (stream_id, coalesce(output_id, ''), role);
create index replicas_by_output on replicas (output_id) where output_id is not null;
-- Claims take the oldest replicas first, of any backend, alternating between new and lost ones.
create index replicas_untaken on replicas (requested_at) where agent_id is null and wanted <> 'ended';
create index replicas_not_begun on replicas (requested_at) where agent_id is null and wanted <> 'ended' and epoch = 0;
create index replicas_offered on replicas (backend, requested_at) where is_offered;
create index replicas_by_successor on replicas (successor_id) where successor_id is not null;
-- Each agent checks each second whether its replicas have changed. The index alone answers this. Its columns change
-- only with the holder or the wanted state, so reports change no index.
create index replicas_of_agent on replicas (agent_id) include (id, epoch, wanted);

-- Each stream is looked up separately: connections keep the plan of the first replicas that changed, and after many
-- changes read all streams for each claim and each report.
create function note_streams_of_replicas() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select s.user_id, pg_current_xact_id(), 'stream', n.stream_id, s.deleted_at is not null
  from is_now n
  join was on was.id = n.id
  cross join lateral (select user_id, deleted_at from streams where id = n.stream_id offset 0) s
  where was.state <> n.state or was.reason is distinct from n.reason
  on conflict do nothing;
  return null;
end $$;
create trigger replicas_note_changed after update on replicas referencing old table as was new table as is_now
  for each statement execute function note_streams_of_replicas();

create function record_replica_change() returns trigger language plpgsql as $$
declare
  event_type text := case new.state when 'live' then 'replica.connected' else 'replica.lost' end;
  of_user text := (
    select w.user_id from streams s join webhooks w on w.user_id = s.user_id
    where s.id = new.stream_id and w.enabled and event_type = any (w.events) limit 1);
begin
  if of_user is null then
    return null;
  end if;
  if new.state = 'live' then
    perform record_event(of_user, event_type, new.stream_id,
      json_build_object('streamID', new.stream_id, 'role', new.role));
  else
    perform record_event(of_user, event_type, new.stream_id,
      json_build_object('streamID', new.stream_id, 'role', new.role, 'reason', new.reason));
  end if;
  return null;
end $$;
create trigger replicas_changed after update of state on replicas
  for each row when ((new.state = 'live') <> (old.state = 'live') and new.wanted = 'live' and new.output_id is null)
  execute function record_replica_change();

create function record_output_change() returns trigger language plpgsql as $$
declare
  of_user text := (
    select w.user_id from streams s join webhooks w on w.user_id = s.user_id
    where s.id = new.stream_id and w.enabled and 'stream.output_changed' = any (w.events) limit 1);
  output text;
begin
  if of_user is null then
    return null;
  end if;
  output := coalesce(new.output_id, (select id from outputs where stream_id = new.stream_id and is_first));
  if output is not null then
    perform record_event(of_user, 'stream.output_changed', new.stream_id, json_build_object(
      'streamID', new.stream_id, 'outputID', output, 'role', new.role, 'state', new.state, 'reason', new.reason));
  end if;
  return null;
end $$;
create trigger replicas_output_changed after update of state on replicas
  for each row when (new.state <> old.state and (old.state = 'live' or new.state in ('live', 'failing', 'ended')))
  execute function record_output_change();

create function signal_replica() returns trigger language plpgsql as $$
begin
  with moved as materialized (
    select n.*, was.failing_since as has_failed_since
    from is_now n join was on was.id = n.id
    -- A replica that was given up has ended, but its output is as wrong as before.
    where was.state <> n.state and n.state in ('failing', 'live', 'ended')
      and not (n.state = 'ended' and n.is_given_up))
  insert into incident_signals (user_id, kind, subject_id, stream_id, output_id, condition, detail)
  select s.user_id, 'output_refused', n.id, n.stream_id, coalesce(begun.output_id, o.id),
    case n.state when 'failing' then 'wrong' when 'live' then 'well' else 'over' end,
    case n.state when 'failing' then jsonb_build_object(
      'name', s.name, 'output', coalesce(o.name, d.name), 'role', n.role, 'reason', n.reason) else '{}' end
  from moved n
  join streams s on s.id = n.stream_id
  left join lateral (select true as is_known, output_id from begun_incident(s.user_id, 'output_refused', n.id)) begun
    on true
  left join outputs o on n.state = 'failing'
    and o.stream_id = n.stream_id and case when n.output_id is null then o.is_first else o.id = n.output_id end
  left join destinations d on d.id = o.destination_id
  where case n.state
    -- While no replica of the stream is live, the stream is away: an incident of its own.
    -- A replica that failed before any was live is signalled by its first failed attempt after that.
    when 'failing' then (n.has_failed_since is null or begun.is_known is null) and exists (
      select from replicas where stream_id = n.stream_id and id <> n.id and state = 'live')
    else begun.is_known end;
  if found then
    perform wake_incidents();
  end if;
  return null;
end $$;
-- As for signal_stream.
alter function signal_replica() set enable_seqscan = off;
create trigger replicas_signalled after update on replicas referencing old table as was new table as is_now
  for each statement execute function signal_replica();

create function signal_replica_gone() returns trigger language plpgsql as $$
begin
  perform note_signal(user_id, 'output_refused', old.id, old.stream_id, null, 'over', '{}')
  from streams where id = old.stream_id;
  return null;
end $$;
create trigger replicas_signalled_gone after delete on replicas for each row execute function signal_replica_gone();

-- Charts of each output of a stream: points in rows of an hour, a day or 30 days, so that a stream has a bounded number
-- of rows, and a chart of a month reads a few of them. A point that was not measured is null. stream_id is no foreign
-- key, because writers of points would wait for transactions that have locked the stream.
create table stream_series (
  stream_id text not null,
  -- Empty: the first output of the stream.
  output_id text not null default '',
  -- Seconds between two points.
  step_seconds integer not null check (step_seconds in (10, 300, 3600)),
  began_at timestamptz not null,
  bitrate_kbps integer[] not null,
  frames_per_second real[] not null,
  dropped_frames integer[] not null,
  reconnects smallint[] not null,
  -- As seriesStates in domain/streams/series.ts.
  states smallint[] not null,
  -- Whether the rows of the next step include this one.
  is_rolled boolean not null default false,
  primary key (stream_id, output_id, step_seconds, began_at)
) with (fillfactor = 60);
create index stream_series_unrolled on stream_series (began_at) where step_seconds = 10 and not is_rolled;
create index stream_series_by_age on stream_series (step_seconds, began_at);

-- A row that is written while its stream is being deleted is deleted later, with age.
create function drop_series() returns trigger language plpgsql as $$
begin
  delete from stream_series where stream_id in (select id from gone);
  return null;
end $$;
create trigger streams_drop_series after delete on streams referencing old table as gone
  for each statement execute function drop_series();

-- Previews of live streams of the encoded backend that a client watches: the last pieces that the encoder made.
-- Unlogged, because a piece is worthless after a minute.
create unlogged table stream_previews (
  stream_id text primary key references streams (id) on delete cascade,
  -- The replica whose holder writes the pieces.
  replica_id text not null,
  -- The time until which the last request of a client wants previews.
  looked_at_until timestamptz not null,
  -- { number, header, key, frame, frames } of the last pieces, in order.
  pieces jsonb not null default '[]'
);
create index stream_previews_of_replica on stream_previews (replica_id);
