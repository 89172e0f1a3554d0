-- Channels on managed platforms: connections, settings of broadcasts, and the mirror, which applies the streams'
-- settings to the broadcasts on the platform.

-- Connections to channels.
create table connections (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  platform text not null check (platform in ('youtube', 'twitch', 'kick')),
  state text not null default 'pending'
    check (state in ('pending', 'ok', 'grant_revoked', 'scope_missing', 'live_not_enabled')),
  -- Null until the owner of the channel has consented.
  account_id text,
  title_cached text,
  live_url text,
  sealed_grant bytea,
  scopes text[] not null default '{}',
  -- The last time at which the platform confirmed the grant.
  verified_at timestamptz,
  created_at timestamptz not null default now(),
  -- The lease of a worker. The worker's writes name the token: a worker that lost the lease changes nothing.
  leased_until timestamptz,
  lease_token text,
  -- The platform's reason for refusing the connection, in words; null: no refusal.
  problem text,
  -- The time of the next check of the grant with the platform.
  verify_at timestamptz,
  -- Its user has disconnected it: first its open broadcasts end, then its grant.
  deleted_at timestamptz,
  -- The time at which the grant expires; null: never, as far as we know.
  grant_ends_at timestamptz,
  check (state = 'pending' or account_id is not null)
);
create index connections_by_user on connections (user_id, seq desc);
create index connections_by_verification on connections (verify_at) where state <> 'pending';
-- Two connections to one channel would each treat the broadcasts of the other as foreign ones. A channel may be
-- connected again while it is still being disconnected.
create unique index connections_by_account on connections (user_id, platform, account_id) where deleted_at is null;
-- The other connections to a channel: its platform may end all grants of an account together with one.
create index connections_by_channel on connections (platform, account_id);
create trigger connections_added after insert on connections referencing new table as added
  for each statement execute function count_added('connections');
create trigger connections_gone after delete on connections referencing old table as gone
  for each statement execute function count_gone('connections');
create trigger connections_note_added after insert on connections referencing new table as added
  for each statement execute function note_added('connection');
create trigger connections_note_gone after delete on connections referencing old table as gone
  for each statement execute function note_gone('connection');
create trigger connections_note_changed
  after update of state, account_id, title_cached, live_url, scopes, problem, grant_ends_at on connections
  for each row when (old.* is distinct from new.*) execute function note_changed('connection');
create trigger connections_note_leaving after update of deleted_at on connections
  for each row when (new.deleted_at is not null) execute function note_changed('connection', 'deleted');

-- The user is notified once of a lost grant, unless they have disconnected the channel themselves. Our data about the
-- channel is deleted within a week.
create function note_grant_gone() returns trigger language plpgsql as $$
begin
  new.verify_at := now() + interval '6 days';
  insert into notifications (user_id, kind, reference, detail, due_at)
  values (new.user_id, 'channel_lost', new.id || ' ' || coalesce(extract(epoch from new.verified_at)::text, ''),
    jsonb_build_object('connectionID', new.id, 'platform', new.platform, 'title', new.title_cached), now())
  on conflict (user_id, kind, reference) do nothing;
  return new;
end $$;
create trigger connections_lost before update of state on connections for each row
  when (new.state = 'grant_revoked' and old.state is distinct from new.state and new.deleted_at is null)
  execute function note_grant_gone();

-- Requested consents that are still missing. The state in the link is the only credential, so only its hash is stored.
create table platform_authorizations (
  state_sha256 bytea primary key,
  connection_id text not null references connections on delete cascade,
  sealed_verifier bytea not null,
  -- A path of the web page.
  return_to text,
  expires_at timestamptz not null
);
create index platform_authorizations_by_connection on platform_authorizations (connection_id);
create index platform_authorizations_by_expiry on platform_authorizations (expires_at);

create table managed_settings (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  connection_id text not null references connections on delete cascade,
  name text not null,
  title_template text not null,
  description_template text not null default '',
  time_zone text not null,
  privacy text not null check (privacy in ('public', 'unlisted', 'private')),
  category_id text,
  tags text[] not null default '{}',
  made_for_kids boolean not null,
  latency text not null check (latency in ('normal', 'low', 'ultraLow')),
  dvr boolean not null,
  rotate_after_minutes integer,
  thumbnail_upload_id text,
  created_at timestamptz not null default now()
);
create index managed_settings_by_user on managed_settings (user_id, seq desc);
create index managed_settings_by_connection on managed_settings (connection_id);
create trigger managed_settings_added after insert on managed_settings referencing new table as added
  for each statement execute function count_added('managedSettings');
create trigger managed_settings_gone after delete on managed_settings referencing old table as gone
  for each statement execute function count_gone('managedSettings');
create trigger managed_settings_note_added after insert on managed_settings referencing new table as added
  for each statement execute function note_added('managedSettings');
create trigger managed_settings_note_gone after delete on managed_settings referencing old table as gone
  for each statement execute function note_gone('managedSettings');
create trigger managed_settings_note_changed after update on managed_settings
  for each row execute function note_changed('managedSettings');

-- Ingests of managed streams on the platform: one for each stream, so that no two streams share a key.
create table platform_ingests (
  stream_id text primary key references streams on delete cascade,
  connection_id text not null references connections on delete cascade,
  -- The platform's own id; null: it has none.
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
  -- Null until the platform has returned it, and for platforms without broadcasts.
  external_id text,
  watch_url text,
  phase text not null default 'prepared' check (phase in ('prepared', 'starting', 'live', 'ended', 'failed')),
  -- The time of a call that creates it and has no answer yet, committed before the call is sent.
  pending_since timestamptz,
  -- The time when a search did not find it, after a call without an answer.
  missed_at timestamptz,
  title text not null,
  -- Precise to the second. No other open broadcast of the connection has the same time, so a search finds this one.
  scheduled_start_at timestamptz not null,
  auto_start boolean not null,
  bound boolean not null default false,
  -- The hash of the description that was last sent to the platform.
  described_hash text,
  -- The first time at which the platform was seen to receive the stream's media.
  ingest_active_at timestamptz,
  live_at timestamptz,
  ended_at timestamptz,
  health jsonb,
  health_observed_at timestamptz,
  viewers integer,
  viewers_observed_at timestamptz,
  created_at timestamptz not null default now(),
  -- The time of its next check; null: none since it went live.
  look_at timestamptz,
  -- The time since which the platform has contradicted our own evidence.
  disagrees_since timestamptz,
  -- Units of the daily quota that are reserved for ending it. They count as used from its creation on, on one day of
  -- the quota only: YYYY-MM-DD in the platform's zone.
  reserved_units integer not null default 0,
  reserved_day text,
  -- The time when the description was last sent to the platform.
  described_at timestamptz,
  -- The upload of the picture that was set.
  thumbnail_upload_id text,
  unique (stream_id, n)
);
create index broadcasts_open on broadcasts (connection_id) where phase in ('prepared', 'starting', 'live');
create unique index broadcasts_open_by_start on broadcasts (connection_id, scheduled_start_at)
  where phase in ('prepared', 'starting', 'live');
create index broadcasts_live on broadcasts (coalesce(look_at, '-infinity')) where phase = 'live';
create index broadcasts_to_count on broadcasts (coalesce(viewers_observed_at, '-infinity')) where phase = 'live';
-- Excludes the number of viewers, which is updated each minute.
create trigger broadcasts_note_changed
  after insert or update of external_id, watch_url, phase, title, scheduled_start_at, health, live_at, ended_at
  on broadcasts
  for each row execute function note_stream_of();

-- Requests to apply a stream's settings to the platform. A generation does not contain the settings: the worker reads
-- the current rows. Only the last generation of a stream counts.
create table mirror_intents (
  stream_id text not null references streams on delete cascade,
  generation integer not null,
  cause text not null,
  state text not null default 'pending' check (state in ('pending', 'done', 'blocked', 'superseded')),
  -- The reason why it waits or is blocked; null without a problem.
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
create trigger mirror_intents_note_changed after insert or update of state, code, detail, generation on mirror_intents
  for each row execute function note_stream_of();

-- The connection whose worker does the next step of a stream: first former connections that still have broadcasts of
-- the stream, then its current one.
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

-- The wanted state of the platform for the state of a stream, equivalent to domain/channels/mirror.ts.
create function wish_of_state(state text) returns text language sql immutable as $$
  select case
    when state in ('scheduled', 'preparing') then 'prepared'
    when state in ('activating', 'active', 'failing') then 'live'
    else 'none' end $$;

-- Begins a new generation of a stream, whose row the caller has locked. If the managed settings of the stream are
-- deleted, there is no connection for the work: the generation is blocked, or done if the platform has nothing left to
-- do.
create function supersede_mirror(of_stream text, for_cause text) returns void language plpgsql as $$
declare
  last integer;
  worker text;
  is_wished boolean;
begin
  update mirror_intents set state = 'superseded', updated_at = now()
  where stream_id = of_stream and state in ('pending', 'blocked');
  select max(generation) into last from mirror_intents where stream_id = of_stream;
  worker := connection_to_work(of_stream);
  select s.stream_destination = 'managed' and s.deleted_at is null and wish_of_state(s.state) <> 'none'
    into is_wished from streams s where id = of_stream;
  insert into mirror_intents (stream_id, generation, cause, state, code, detail) values (
    of_stream, coalesce(last, 0) + 1, for_cause,
    case when worker is not null then 'pending' when is_wished then 'blocked' else 'done' end,
    case when worker is null and is_wished then 'settings_missing' end,
    case when worker is null and is_wished then
      'The managed settings that the stream names are gone. Set managedSettingsID to others.' end);
  delete from mirror_intents where stream_id = of_stream and generation < last - 20;
  if worker is not null then
    insert into outbox (queue, body) values ('platforms', jsonb_build_object('connectionID', worker));
  end if;
end $$;

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

-- An agent has seen that the platform receives the media: a generation that waits for that is due now.
create function mirror_live_stream() returns trigger language plpgsql as $$
begin
  if exists (select from mirror_intents where stream_id = new.id and state = 'pending') then
    perform supersede_mirror(new.id, 'media_accepted');
  end if;
  return null;
end $$;
create trigger streams_seen_live after update of state on streams for each row
  when (new.stream_destination = 'managed' and old.state <> 'active' and new.state = 'active')
  execute function mirror_live_stream();

-- Used units of a project's daily quota. Days are those of America/Los_Angeles.
create table platform_quota (
  platform text not null,
  day date not null,
  used_units integer not null default 0,
  exhausted_until timestamptz,
  -- By our own count, no broadcast is started until then; others may still be ended.
  starts_exhausted_until timestamptz,
  primary key (platform, day)
);

-- Ids of events of platforms, because an event may arrive twice. They are deleted when they are too old to be accepted.
create table platform_events (
  platform text not null,
  id text not null,
  received_at timestamptz not null default now(),
  primary key (platform, id)
);
create index platform_events_by_age on platform_events (received_at);
