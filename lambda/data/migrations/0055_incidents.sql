-- Incidents: what is wrong for users, confirmed, and told once when it begins and once when it has ended. Triggers only
-- add signals, which wait for nobody and lock nothing. A worker reads those of one user after the other, and decides.

create table incident_signals (
  id bigint generated always as identity primary key,
  user_id text not null references users on delete cascade,
  kind text not null,
  -- The stream, playlist, upload, source or user that it is about.
  subject_id text not null,
  stream_id text,
  -- Null: the first output of the stream, or something else than an output.
  output_id text,
  condition text not null check (condition in ('wrong', 'well', 'over')),
  -- Names and reasons, for the words of the incident.
  detail jsonb not null,
  at timestamptz not null default clock_timestamp()
);
create index incident_signals_by_user on incident_signals (user_id, id);
create index incident_signals_by_subject on incident_signals (user_id, kind, subject_id);

create table incidents (
  id text primary key default 'inc_' || replace(uuidv7()::text, '-', ''),
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  kind text not null,
  subject_id text not null,
  stream_id text,
  output_id text,
  condition text not null check (condition in ('wrong', 'well', 'over')),
  -- Since when it has been in this condition.
  since timestamptz not null,
  began_at timestamptz not null,
  -- Null while it may still pass; nobody has seen it then.
  confirmed_at timestamptz,
  ended_at timestamptz,
  -- How often it began again before it was well for long enough to have ended.
  count integer not null default 1,
  detail jsonb not null,
  -- When to look at it again; null: at its next signal.
  due_at timestamptz
);
create unique index incidents_open on incidents (user_id, kind, subject_id, coalesce(output_id, ''))
  where ended_at is null;
create index incidents_due on incidents (user_id, due_at) where due_at is not null;
create index incidents_by_user on incidents (user_id, seq desc) where confirmed_at is not null;
create index incidents_by_end on incidents (ended_at) where ended_at is not null;

-- A row that the worker of a user's incidents locks: two of them at once would find the same signals.
create table incident_turns (user_id text primary key references users on delete cascade);

create table alert_channels (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  client_id text,
  name text not null,
  kind text not null check (kind in ('email', 'slack', 'discord', 'telegram', 'webhook')),
  -- Null: the mail address of the account.
  sealed_target bytea,
  -- What of the target is no secret.
  shown_target text not null,
  -- Null where senders to it are not counted: mails, and services that are made for many senders.
  host text,
  events text[] not null,
  after_seconds integer not null check (after_seconds between 0 and 3600),
  quiet_hours jsonb,
  enabled boolean not null default true,
  -- Why we disabled it; null while it is enabled, or where its user disabled it.
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  -- Attempts in a row that failed, since when, and the time before which none is made.
  failures integer not null default 0,
  failing_since timestamptz,
  retry_at timestamptz,
  -- Until then one sender has it to itself.
  leased_until timestamptz,
  test_asked_at timestamptz,
  last_delivery jsonb,
  created_at timestamptz not null default now()
);
create index alert_channels_by_user on alert_channels (user_id, seq desc);
create index alert_channels_by_host on alert_channels (host) where leased_until is not null;
create trigger alert_channels_added after insert on alert_channels referencing new table as added
  for each statement execute function count_added('alertChannels');
create trigger alert_channels_gone after delete on alert_channels referencing old table as gone
  for each statement execute function count_gone('alertChannels');

-- One message of an incident to a channel. The key keeps it from being told twice.
create table alert_notices (
  channel_id text not null references alert_channels on delete cascade,
  incident_id text not null references incidents on delete cascade,
  phase text not null check (phase in ('began', 'ended')),
  due_at timestamptz not null,
  sent_at timestamptz,
  primary key (channel_id, incident_id, phase)
);
create index alert_notices_waiting on alert_notices (channel_id, due_at) where sent_at is null;
create index alert_notices_by_incident on alert_notices (incident_id);

-- Whatever is well is only of interest where something was wrong: a change of that cannot be under way, as both are
-- written by whoever has locked the row of the subject.
create function note_signal(
  of_user text, of_kind text, of_subject text, of_stream text, of_output text, is_in text, with_detail jsonb)
returns void language plpgsql as $$
begin
  if is_in <> 'wrong' and not exists (
      select from incidents where user_id = of_user and kind = of_kind and subject_id = of_subject
        and coalesce(output_id, '') = coalesce(of_output, '') and ended_at is null)
    and not exists (
      select from incident_signals where user_id = of_user and kind = of_kind and subject_id = of_subject
        and output_id is not distinct from of_output) then
    return;
  end if;
  -- Where the user is being deleted, there is nobody to tell.
  insert into incident_signals (user_id, kind, subject_id, stream_id, output_id, condition, detail)
  select id, of_kind, of_subject, of_stream, of_output, is_in, with_detail from users where id = of_user;
  -- One command is enough for all that a transaction signals. That of another transaction may be carried out before
  -- this one is committed.
  if found and not exists (
      select from outbox where queue = 'webhooks' and user_id = of_user and dead_at is null and body ? 'incidentsOf'
        and xmin = pg_current_xact_id()::xid) then
    insert into outbox (queue, body, user_id) values ('webhooks', jsonb_build_object('incidentsOf', of_user), of_user);
  end if;
end $$;

create function signal_stream() returns trigger language plpgsql as $$
begin
  perform note_signal(new.user_id, 'stream_away', new.id, new.id, null,
    case when new.state in ('failing', 'failed') then 'wrong' when new.state = 'active' then 'well' else 'over' end,
    jsonb_build_object('name', new.name, 'state', new.state, 'reason', new.state_reason));
  return null;
end $$;
-- A stream that is tried once more has not been well for that.
create trigger streams_signalled after update of state on streams
  for each row when (old.state <> new.state and new.state not in ('activating', 'preparing'))
  execute function signal_stream();

create function signal_replica() returns trigger language plpgsql as $$
declare
  s record;
begin
  select user_id, name into s from streams where id = new.stream_id;
  if new.state <> 'failing' then
    perform note_signal(s.user_id, 'output_refused', new.id, new.stream_id, null,
      case new.state when 'live' then 'well' else 'over' end, '{}');
  elsif exists (select from replicas where stream_id = new.stream_id and id <> new.id and state = 'live') then
    perform note_signal(s.user_id, 'output_refused', new.id, new.stream_id, null, 'wrong',
      jsonb_build_object('name', s.name, 'role', new.role, 'reason', new.reason));
  end if;
  return null;
end $$;
-- While nothing of the stream is live, the stream is away, which is told of by itself.
create trigger replicas_signalled after update of state on replicas
  for each row when (old.state <> new.state and (new.state in ('live', 'ended')
    or new.state = 'failing' and old.failing_since is null)) execute function signal_replica();

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

create function signal_upload() returns trigger language plpgsql as $$
begin
  perform note_signal(new.user_id, 'media_unplayable', new.id, null, null,
    case new.probe_state when 'failed' then 'wrong' else 'well' end,
    jsonb_build_object('name', new.name, 'reason', new.failure));
  return null;
end $$;
create trigger uploads_signalled after update of probe_state on uploads
  for each row when (old.probe_state <> new.probe_state and new.probe_state <> 'pending')
  execute function signal_upload();

create function signal_source() returns trigger language plpgsql as $$
begin
  perform note_signal(new.user_id, 'source_unreachable', new.id, null, null,
    case new.state when 'failing' then 'wrong' else 'well' end,
    -- What stands behind the question mark of a feed may be a secret.
    jsonb_build_object('name', split_part(new.url, '?', 1), 'reason', new.reason));
  return null;
end $$;
create trigger sources_signalled after update of state on sources
  for each row when (old.state <> new.state) execute function signal_source();

-- What is deleted is wrong no more.
create function signal_gone() returns trigger language plpgsql as $$
begin
  perform note_signal(old.user_id, tg_argv[0], old.id, null, null, 'over', '{}');
  return null;
end $$;
create trigger streams_signalled_gone after delete on streams
  for each row execute function signal_gone('stream_away');
create trigger playlists_signalled_gone after delete on playlists
  for each row execute function signal_gone('publish_failed');
create trigger uploads_signalled_gone after delete on uploads
  for each row execute function signal_gone('media_unplayable');
create trigger sources_signalled_gone after delete on sources
  for each row execute function signal_gone('source_unreachable');
create function signal_replica_gone() returns trigger language plpgsql as $$
begin
  perform note_signal(user_id, 'output_refused', old.id, old.stream_id, null, 'over', '{}')
  from streams where id = old.stream_id;
  return null;
end $$;
create trigger replicas_signalled_gone after delete on replicas for each row execute function signal_replica_gone();

create function signal_credits() returns trigger language plpgsql as $$
begin
  perform note_signal(new.user_id, 'credits_low', new.user_id, null, null, 'wrong',
    new.detail || jsonb_build_object('stage', new.kind));
  return null;
end $$;
create trigger notifications_signalled after insert on notifications
  for each row when (new.kind in ('credits_end_within_day', 'credits_end_within_hour', 'credits_exhausted',
    'streams_stopped_without_credits')) execute function signal_credits();

-- Streams that were stopped use up nothing, so somebody who has no credits is not warned of their end any more.
create function signal_credits_left() returns trigger language plpgsql as $$
begin
  if exists (select from incidents where user_id = new.user_id and kind = 'credits_low' and ended_at is null)
    and exists (select from invoices where user_id = new.user_id and remaining_credits > 0) then
    perform note_signal(new.user_id, 'credits_low', new.user_id, null, null, 'well', '{}');
  end if;
  return null;
end $$;
create trigger billing_accounts_signalled after update of warned on billing_accounts
  for each row when (new.warned is null) execute function signal_credits_left();

-- As before, and for the commands of incidents and alerts.
create or replace function user_of_command(body jsonb) returns text language sql stable as $$
  select case
    when body ? 'uploadID' then (select user_id from uploads where id = body ->> 'uploadID')
    when body ? 'playlistID' then (select user_id from playlists where id = body ->> 'playlistID')
    when body ? 'streamID' then (select user_id from streams where id = body ->> 'streamID')
    when body ? 'webhookID' then (select user_id from webhooks where id = body ->> 'webhookID')
    when body ? 'incidentsOf' then body ->> 'incidentsOf'
    when body ? 'alertChannelID' then (select user_id from alert_channels where id = body ->> 'alertChannelID')
    when body ? 'connectionID' then (select user_id from connections where id = body ->> 'connectionID')
    when body ? 'notificationID' then (select user_id from notifications where id = (body ->> 'notificationID')::bigint)
    when body ? 'sourceID' then (select user_id from sources where id = body ->> 'sourceID')
    -- As uploadKey of domain/object-keys.ts makes it.
    when body ->> 'objectKey' like 'uploads/%' then split_part(body ->> 'objectKey', '/', 2)
  end $$;
