-- The mirror: what the broadcasts on managed platforms are, what they are wished to be, and what it costs to tell the
-- platforms. The release before knows none of these tables; its changes of streams are mirrored by the trigger.

alter table connections
  -- The worker that has the connection. Its writes name the token, so that those of one which lost it change nothing.
  add column leased_until timestamptz,
  add column lease_token text,
  -- Why the platform does not let us use the connection, in words; null: it does.
  add column problem text,
  -- When to ask the platform again whether the grant is good.
  add column verify_at timestamptz;

-- The destination of a connected channel. Its address is empty: each stream has an ingest of its own there.
alter table destinations add column connection_id text references connections on delete cascade;
create unique index destinations_by_connection on destinations (connection_id);

-- Where each managed stream is sent to: one reusable ingest a stream, so that no two share a key.
create table platform_ingests (
  stream_id text primary key references streams on delete cascade,
  connection_id text not null references connections on delete cascade,
  -- The platform's own id; null where it has none.
  external_id text,
  url text not null,
  backup_url text,
  sealed_key bytea not null,
  created_at timestamptz not null default now()
);
create index platform_ingests_by_connection on platform_ingests (connection_id);

create table broadcasts (
  id text primary key,
  seq bigint generated always as identity unique,
  stream_id text not null references streams on delete cascade,
  connection_id text not null references connections on delete cascade,
  n integer not null,
  -- Null until the platform has answered with it, and where the platform has no broadcasts.
  external_id text,
  watch_url text,
  phase text not null default 'prepared' check (phase in ('prepared', 'starting', 'live', 'ended', 'failed')),
  -- Since when the answer to its making is not known: committed before the call is sent.
  pending_since timestamptz,
  -- When it was looked for and not there, after a call whose answer was lost.
  missed_at timestamptz,
  title text not null,
  -- To the second, and no other open broadcast of the connection has it: so it is found again.
  scheduled_start_at timestamptz not null,
  auto_start boolean not null,
  bound boolean not null default false,
  thumbnail_set boolean not null default false,
  -- Of what the platform was told last.
  described_hash text,
  -- When the platform was first seen to take the stream's media.
  ingest_active_at timestamptz,
  live_at timestamptz,
  ended_at timestamptz,
  health jsonb,
  health_observed_at timestamptz,
  viewers integer,
  viewers_observed_at timestamptz,
  created_at timestamptz not null default now(),
  unique (stream_id, n)
);
create index broadcasts_open on broadcasts (connection_id) where phase in ('prepared', 'starting', 'live');
create unique index broadcasts_open_by_start on broadcasts (connection_id, scheduled_start_at)
  where phase in ('prepared', 'starting', 'live');

-- That the platform's side of a stream is to be made what is wished now. A generation carries no wish: whoever works it
-- reads the rows. The last one of a stream is the one that counts.
create table mirror_intents (
  stream_id text not null references streams on delete cascade,
  generation integer not null,
  cause text not null,
  state text not null default 'pending' check (state in ('pending', 'done', 'blocked', 'superseded')),
  -- Why it waits or is blocked; null while nothing is wrong.
  code text,
  detail text,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (stream_id, generation)
);
create unique index mirror_intents_open on mirror_intents (stream_id) where state in ('pending', 'blocked');
create index mirror_intents_waiting on mirror_intents (next_attempt_at) where state = 'pending';

-- Units of a project's daily quota that were used. Days are those of America/Los_Angeles.
create table platform_quota (
  platform text not null,
  day date not null,
  used_units integer not null default 0,
  exhausted_until timestamptz,
  primary key (platform, day)
);

create index streams_by_managed_settings on streams (managed_settings_id) where managed_settings_id is not null;

alter table due_times
  drop constraint due_times_kind_check,
  add constraint due_times_kind_check check (kind in
    ('schedule_start', 'schedule_end', 'duration_over', 'activation_timeout', 'broadcast_rotation'));

alter table outbox
  drop constraint outbox_queue_check,
  add constraint outbox_queue_check check (queue in
    ('publish-ffmpeg', 'publish-manifest', 'media', 'imports', 'timers', 'webhooks', 'platforms'));

create or replace function user_of_command(body jsonb) returns text language sql stable as $$
  select case
    when body ? 'uploadID' then (select user_id from uploads where id = body ->> 'uploadID')
    when body ? 'playlistID' then (select user_id from playlists where id = body ->> 'playlistID')
    when body ? 'streamID' then (select user_id from streams where id = body ->> 'streamID')
    when body ? 'webhookID' then (select user_id from webhooks where id = body ->> 'webhookID')
    when body ? 'connectionID' then (select user_id from connections where id = body ->> 'connectionID')
    when body ? 'notificationID' then (select user_id from notifications where id = (body ->> 'notificationID')::bigint)
    -- As uploadKey of domain/object-keys.ts makes it.
    when body ->> 'objectKey' like 'uploads/%' then split_part(body ->> 'objectKey', '/', 2)
  end $$;

-- The connection whose worker has the next step of a stream: first those that the stream has moved away from and that
-- still have broadcasts of it, then the one that it goes by.
create function connection_to_work(of_stream text) returns text language sql stable as $$
  select connection_id from (
    select b.connection_id, b.connection_id is distinct from m.connection_id as is_former
    from streams s left join managed_settings m on m.id = s.managed_settings_id and s.stream_destination = 'managed'
    join broadcasts b on b.stream_id = s.id and b.phase in ('prepared', 'starting', 'live')
    where s.id = of_stream
    union all
    select m.connection_id, false
    from streams s join managed_settings m on m.id = s.managed_settings_id
    where s.id = of_stream and s.stream_destination = 'managed') concerned
  order by is_former desc, connection_id limit 1 $$;

-- Has the platform's side of a stream, whose row the caller has locked, made what is wished now.
create function supersede_mirror(of_stream text, for_cause text) returns void language plpgsql as $$
declare
  last integer;
begin
  update mirror_intents set state = 'superseded', updated_at = now()
  where stream_id = of_stream and state in ('pending', 'blocked');
  select max(generation) into last from mirror_intents where stream_id = of_stream;
  insert into mirror_intents (stream_id, generation, cause) values (of_stream, coalesce(last, 0) + 1, for_cause);
  delete from mirror_intents where stream_id = of_stream and generation < last - 20;
  insert into outbox (queue, body)
  select 'platforms', jsonb_build_object('connectionID', id) from connection_to_work(of_stream) as id
  where id is not null;
end $$;

-- What is wished of a platform, as far as the state of a stream says it: domain/mirror.ts says it the same.
create function wish_of_state(state text) returns text language sql immutable as $$
  select case
    when state in ('scheduled', 'preparing') then 'prepared'
    when state in ('activating', 'active', 'failing') then 'live'
    else 'none' end $$;

create function mirror_stream() returns trigger language plpgsql as $$
begin
  perform supersede_mirror(new.id, coalesce(
    (select cause from stream_transitions
     where id = new.last_transition_id and new.last_transition_id is distinct from old.last_transition_id),
    'changed'));
  return null;
end $$;
create trigger streams_mirrored after update on streams for each row
  when (
    (old.stream_destination = 'managed' or new.stream_destination = 'managed') and (
      wish_of_state(old.state) <> wish_of_state(new.state)
      or old.stream_destination is distinct from new.stream_destination
      or old.managed_settings_id is distinct from new.managed_settings_id
      or old.name is distinct from new.name
      or old.deleted_at is distinct from new.deleted_at
      or (new.state = 'scheduled' and old.schedule_start_at is distinct from new.schedule_start_at)))
  execute function mirror_stream();
