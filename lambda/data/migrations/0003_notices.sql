-- Changes for open pages, notifications, webhooks, incidents and alerts.

-- Changes of each user's resources, with the transaction of each. An open page requests the changes after the last one
-- that it has. Rows are only added, so that no writer waits for another, and are kept for an hour. Unlogged: changes
-- write no WAL, and after a crash clients read everything again.
create unlogged table changes (
  user_id text not null,
  xid xid8 not null,
  kind text not null,
  id text not null,
  is_deleted boolean not null,
  at timestamptz not null default clock_timestamp(),
  primary key (user_id, xid, kind, id)
);
create index changes_by_time on changes (at);

-- One row: changes of transactions up to this one may be missing. A crash empties this table as well.
create unlogged table forgotten_changes (up_to xid8 not null);
insert into forgotten_changes values (pg_current_xact_id());

-- Functions for tables with user_id and id. The triggers name the kind of resource.
create function note_added() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), tg_argv[0], id, false from added on conflict do nothing;
  return null;
end $$;
create function note_gone() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), tg_argv[0], id, true from gone
  on conflict (user_id, xid, kind, id) do update set is_deleted = true;
  return null;
end $$;
-- Per row: most updates of these tables change columns that users do not see, and a trigger on the other columns costs
-- these updates nothing.
create function note_changed() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  values (new.user_id, pg_current_xact_id(), tg_argv[0], new.id, tg_nargs > 1)
  on conflict (user_id, xid, kind, id) do update set is_deleted = true where excluded.is_deleted;
  return null;
end $$;

-- Notifications of users, sent by mail and, as events, by webhook. Users find them in their inbox, too.
create table notifications (
  id bigint generated always as identity primary key,
  user_id text not null references users on delete cascade,
  kind text not null,
  -- The subject of the notification. Each subject gets one notification of each kind.
  reference text not null,
  detail jsonb not null,
  due_at timestamptz not null,
  sent_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  read_at timestamptz,
  unique (user_id, kind, reference)
);
create index notifications_unsent on notifications (due_at) where sent_at is null;
create index notifications_by_user on notifications (user_id, id desc);
create trigger notifications_note_added after insert on notifications referencing new table as added
  for each statement execute function note_added('notification');
create trigger notifications_note_changed after update of read_at on notifications
  for each row when (old.read_at is distinct from new.read_at) execute function note_changed('notification');

-- The host and port of a URL such as 'https://example.com:8443/path'.
create function host_of_url(url text) returns text language sql immutable as $$
  select lower(substring(url from '^[A-Za-z]+://([^/?#]*)'))
$$;

-- Webhooks: addresses of users that receive events.
create table webhooks (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  url text not null,
  events text[] not null check (cardinality(events) > 0),
  sealed_secret bytea not null,
  enabled boolean not null default true,
  -- The reason why the platform disabled it; null while it is enabled, or if its user disabled it.
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  -- End of the time in which one sender has it exclusively.
  leased_until timestamptz,
  last_delivered_at timestamptz,
  created_at timestamptz not null default now(),
  -- A webhook that does not answer is paused as a whole, and not per event: otherwise a host that hangs would be called
  -- for every event. Number of consecutive turns without an answered attempt.
  silences integer not null default 0,
  -- No events are sent until then, and a command waits for this time; null while it answers.
  silent_until timestamptz,
  -- The application that created it: when the user disconnects the application, the webhook is disabled. Null: it was
  -- created with an API key.
  client_id text,
  -- After a replacement of the secret, events are signed with both secrets until this time.
  former_sealed_secret bytea,
  former_secret_until timestamptz
);
create index webhooks_by_user on webhooks (user_id, seq desc);
create index webhooks_by_client on webhooks (client_id) where client_id is not null;
create index webhooks_by_host on webhooks (host_of_url(url));
create trigger webhooks_added after insert on webhooks referencing new table as added
  for each statement execute function count_added('webhooks');
create trigger webhooks_gone after delete on webhooks referencing old table as gone
  for each statement execute function count_gone('webhooks');
create trigger webhooks_note_added after insert on webhooks referencing new table as added
  for each statement execute function note_added('webhook');
create trigger webhooks_note_gone after delete on webhooks referencing old table as gone
  for each statement execute function note_gone('webhook');
-- Excludes last_delivered_at, which changes with every event.
create trigger webhooks_note_changed after update of url, events, enabled, disabled_reason, sealed_secret on webhooks
  for each row execute function note_changed('webhook');

-- Hosts of webhooks that do not answer, of all users. A host has a row from its first silence to its next answer.
create table webhook_hosts (
  host text primary key,
  -- Counted once for all senders that wait for the host at the same time.
  silences integer not null default 1,
  -- Webhooks without recent deliveries are paused until then.
  silent_until timestamptz not null
);

-- Events for webhooks. Triggers write them in the transaction of the change, so that an event exists if and only if its
-- change does. An event without a subscribed webhook is not written. Rows are only added, and deleted with age.
create table events (
  id text primary key default 'evt_' || replace(uuidv7()::text, '-', ''),
  -- Events of one subject are numbered in the order in which they happened, because its row is locked meanwhile.
  seq bigint generated always as identity,
  user_id text not null references users on delete cascade,
  type text not null,
  -- The stream, upload, playlist or user of the event.
  subject_id text not null,
  -- Sent unchanged: jsonb would reorder its fields.
  data json not null,
  at timestamptz not null default clock_timestamp()
);
create index events_by_time on events (at);
create index events_by_user on events (user_id);

-- Deliveries. seq has no index of its own: for a webhook with few waiting deliveries, Postgres read the deliveries of
-- all webhooks in the order of that index until it had found enough.
create table webhook_deliveries (
  id text primary key default 'dlv_' || replace(uuidv7()::text, '-', ''),
  seq bigint generated always as identity,
  event_id text not null references events on delete cascade,
  webhook_id text not null references webhooks on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  -- Attempts since asked_at. An attempt is counted when it begins; then the answer to an earlier one no longer counts.
  attempts integer not null default 0,
  asked_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  last_attempt_at timestamptz,
  response_status integer,
  response_excerpt text,
  failure text,
  created_at timestamptz not null default now()
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, seq desc);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where state = 'pending';
create index webhook_deliveries_by_event on webhook_deliveries (event_id);
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, seq) where state = 'pending';

-- Records an event for subscribed webhooks. A loss of agents moves thousands of streams, and few users have a webhook,
-- so subscriptions are checked first. A webhook that is being deleted is skipped, so that a stream neither waits for
-- the deletion nor fails by it. Due deliveries of a silent webhook are not counted, because they do not matter, and
-- counting them read thousands of postponed index entries. Those of other webhooks are counted in the order of the
-- index: without an order, Postgres scanned the table until it had found eight, which took 50 ms for each event.
create function record_event(of_user text, of_type text, subject text, with_data json) returns void
language plpgsql as $$
begin
  if not exists (select from webhooks where user_id = of_user and enabled and of_type = any (events)) then
    return;
  end if;
  -- A sender continues until nothing is due. If eight deliveries are due, each has sent its command: one more would
  -- wake no other sender.
  with wanting as (
    select id, silent_until, case when silent_until > now() then 0 else (
      select count(*) from (
        select from webhook_deliveries
        where webhook_id = webhooks.id and state = 'pending' and next_attempt_at <= now()
        order by next_attempt_at limit 8) due_ones) end as due
    from webhooks where user_id = of_user and enabled and of_type = any (events) for key share skip locked),
  recorded as (
    insert into events (user_id, type, subject_id, data)
    select of_user, of_type, subject, with_data where exists (select from wanting) returning id),
  waiting as (
    insert into webhook_deliveries (event_id, webhook_id, next_attempt_at)
    select recorded.id, wanting.id, greatest(now(), silent_until) from recorded cross join wanting
    returning webhook_id, next_attempt_at)
  insert into outbox (queue, body) select 'webhooks', jsonb_build_object('webhookID', webhook_id)
  from waiting join wanting on wanting.id = webhook_id where next_attempt_at <= now() and due < 8;
end $$;

-- Each notification is an event too. The command sends the mail.
create function record_notification() returns trigger language plpgsql as $$
declare
  event_type text := case new.kind
    when 'credits_end_within_day' then 'credits.low' when 'credits_end_within_hour' then 'credits.low'
    when 'credits_exhausted' then 'credits.exhausted'
    when 'streams_stopped_without_credits' then 'credits.streams_stopped'
    when 'channel_lost' then 'connection.lost' when 'platform_disagrees' then 'stream.platform_disagrees'
    when 'payment_refunded' then 'payment.refunded' when 'payment_disputed' then 'payment.disputed' end;
begin
  if event_type = 'credits.low' then
    perform record_event(new.user_id, event_type, new.user_id, json_build_object(
      'within', case new.kind when 'credits_end_within_day' then 'day' else 'hour' end,
      'creditsLeft', new.detail -> 'creditsLeft', 'creditsExhaustedAt', new.detail -> 'creditsExhaustedAt'));
  elsif event_type is not null then
    perform record_event(new.user_id, event_type,
      coalesce(new.detail ->> 'streamID', new.detail ->> 'connectionID', new.user_id), new.detail::json);
  end if;
  insert into outbox (queue, body, visible_at)
    values ('webhooks', jsonb_build_object('notificationID', new.id), greatest(now(), new.due_at));
  return null;
end $$;
create trigger notifications_added after insert on notifications for each row execute function record_notification();

-- Incidents: confirmed problems of users, reported once at the start and once at the end. Triggers only add signals,
-- which wait for nothing and lock nothing. A worker reads the signals, one user after the other, and decides.

create table incident_signals (
  id bigint generated always as identity primary key,
  user_id text not null references users on delete cascade,
  kind text not null,
  -- The stream, replica, playlist, upload, source or user of the incident.
  subject_id text not null,
  stream_id text,
  -- Null: the subject is no output.
  output_id text,
  condition text not null check (condition in ('wrong', 'well', 'over')),
  -- Names and reasons, for the text of the incident.
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
  -- The start of the current condition.
  since timestamptz not null,
  began_at timestamptz not null,
  -- Null while the problem may be temporary: users do not see it then.
  confirmed_at timestamptz,
  ended_at timestamptz,
  -- Number of times it started again before it had been over for long enough to end.
  count integer not null default 1,
  detail jsonb not null,
  -- The time of the next decision; null: at the next signal.
  due_at timestamptz
);
create unique index incidents_open on incidents (user_id, kind, subject_id, coalesce(output_id, ''))
  where ended_at is null;
create index incidents_due on incidents (user_id, due_at) where due_at is not null;
create index incidents_by_user on incidents (user_id, seq desc) where confirmed_at is not null;
create index incidents_by_end on incidents (ended_at) where ended_at is not null;
create index incidents_by_due on incidents (due_at) where due_at is not null;

-- Users see confirmed incidents only. Incidents about credits have their own kind, for clients that may not read
-- credits.
create function note_incident() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  values (new.user_id, pg_current_xact_id(),
    case new.kind when 'credits_low' then 'creditsIncident' else 'incident' end, new.id, false)
  on conflict do nothing;
  return null;
end $$;
create trigger incidents_note_added after insert on incidents
  for each row when (new.confirmed_at is not null) execute function note_incident();
create trigger incidents_note_changed after update on incidents
  for each row when (new.confirmed_at is not null and (old.confirmed_at is null or old.count <> new.count
    or old.ended_at is distinct from new.ended_at or old.detail <> new.detail)) execute function note_incident();

-- One row per user, locked by the worker of their incidents: two workers at once would read the same signals.
create table incident_turns (user_id text primary key references users on delete cascade);

-- Wakes the worker in two seconds, when this transaction should be over. If another transaction has a command due at
-- least a second later, that command is enough.
create function wake_incidents() returns void language sql as $$
  insert into outbox (queue, body, visible_at)
  select 'webhooks', '{"incidents": ""}', now() + interval '2 seconds'
  where not exists (
    select from outbox
    where queue = 'webhooks' and body ? 'incidents' and dead_at is null and receipt is null
      and visible_at > now() + interval '1 second' and visible_at <= now() + interval '2 seconds')
$$;

-- The open incident of a subject, or the signal of its start, that an end signal is about; no row if there is none. It
-- cannot change meanwhile, because its writers have locked the row of the subject.
create function begun_incident(of_user text, of_kind text, of_subject text)
returns table (output_id text) language sql stable as $$
  select output_id from incidents
  where user_id = of_user and kind = of_kind and subject_id = of_subject and ended_at is null
  union all
  select output_id from incident_signals where user_id = of_user and kind = of_kind and subject_id = of_subject
  limit 1
$$;

-- Signals a condition. 'well' and 'over' matter only after 'wrong'. The signal of an end names the output of the start,
-- because a first output may be deleted by then.
create function note_signal(
  of_user text, of_kind text, of_subject text, of_stream text, of_output text, is_in text, with_detail jsonb)
returns void language plpgsql as $$
begin
  -- The row of the user is gone if the user is being deleted: then no signal is needed.
  insert into incident_signals (user_id, kind, subject_id, stream_id, output_id, condition, detail)
  select u.id, of_kind, of_subject, of_stream, begun.output_id, is_in, with_detail
  from users u, begun_incident(of_user, of_kind, of_subject) begun where u.id = of_user;
  if not found and is_in = 'wrong' then
    insert into incident_signals (user_id, kind, subject_id, stream_id, output_id, condition, detail)
    select u.id, of_kind, of_subject, of_stream, of_output, is_in, with_detail from users u where u.id = of_user;
  end if;
  if found then
    perform wake_incidents();
  end if;
end $$;

-- A deletion ends the incidents of the deleted resource. The trigger names the kind.
create function signal_gone() returns trigger language plpgsql as $$
begin
  perform note_signal(old.user_id, tg_argv[0], old.id, null, null, 'over', '{}');
  return null;
end $$;

create function signal_credits() returns trigger language plpgsql as $$
begin
  perform note_signal(new.user_id, 'credits_low', new.user_id, null, null, 'wrong',
    new.detail || jsonb_build_object('stage', new.kind));
  return null;
end $$;
create trigger notifications_signalled after insert on notifications
  for each row when (new.kind in ('credits_end_within_day', 'credits_end_within_hour', 'credits_exhausted',
    'streams_stopped_without_credits')) execute function signal_credits();

-- Alerts: messages about incidents to channels that users choose.
create table alert_channels (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  client_id text,
  name text not null,
  kind text not null check (kind in ('email', 'slack', 'discord', 'telegram', 'webhook')),
  -- Null: the mail address of the account.
  sealed_target bytea,
  -- The part of the target that is no secret.
  shown_target text not null,
  -- Null if its senders are not limited: mails, and services that accept many senders.
  host text,
  events text[] not null,
  after_seconds integer not null check (after_seconds between 0 and 3600),
  quiet_hours jsonb,
  enabled boolean not null default true,
  -- The reason why the platform disabled it; null while it is enabled, or if its user disabled it.
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  -- Number of consecutive failed attempts, the time of the first one, and the earliest time of the next one.
  failures integer not null default 0,
  failing_since timestamptz,
  retry_at timestamptz,
  -- End of the time in which one sender has it exclusively.
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
create trigger alert_channels_note_added after insert on alert_channels referencing new table as added
  for each statement execute function note_added('alertChannel');
create trigger alert_channels_note_gone after delete on alert_channels referencing old table as gone
  for each statement execute function note_gone('alertChannel');
create trigger alert_channels_note_changed after update on alert_channels
  for each row when (old.enabled <> new.enabled or old.last_delivery is distinct from new.last_delivery
    or (old.name, old.shown_target, old.events, old.after_seconds, old.quiet_hours)
      is distinct from (new.name, new.shown_target, new.events, new.after_seconds, new.quiet_hours))
  execute function note_changed('alertChannel');

-- Messages about incidents to channels. The key prevents a message from being sent twice.
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
