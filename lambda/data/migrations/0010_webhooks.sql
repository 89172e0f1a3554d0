-- Webhooks: addresses of users that are told what happens. What they are told is written by triggers, in the transaction in which it
-- happens, so it is there exactly if that is, whichever release of the code made it happen.

create table webhooks (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  url text not null,
  events text[] not null check (cardinality(events) > 0),
  sealed_secret bytea not null,
  enabled boolean not null default true,
  -- Why we disabled it; null while it is enabled, or where its user disabled it.
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  -- Until then one sender has it to itself.
  leased_until timestamptz,
  last_delivered_at timestamptz,
  created_at timestamptz not null default now()
);
create index webhooks_by_user on webhooks (user_id, seq desc);

-- What webhooks were told; only added to, and kept for a while. One that nobody wants to hear of is not written.
create table events (
  id text primary key default 'evt_' || replace(uuidv7()::text, '-', ''),
  -- Events of one subject are numbered in the order in which they happened, as its row is locked meanwhile.
  seq bigint generated always as identity,
  user_id text not null references users on delete cascade,
  type text not null,
  -- The stream, upload, playlist or user that it is about.
  subject_id text not null,
  -- Sent as it is: jsonb would order its fields anew.
  data json not null,
  at timestamptz not null default clock_timestamp()
);
create index events_by_time on events (at);
create index events_by_user on events (user_id);

create table webhook_deliveries (
  id text primary key default 'dlv_' || replace(uuidv7()::text, '-', ''),
  seq bigint generated always as identity unique,
  event_id text not null references events on delete cascade,
  webhook_id text not null references webhooks on delete cascade,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  -- Since it was last asked for. Each attempt is counted when it begins, and an answer to an earlier one does not count any more.
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

-- A webhook that is being deleted is passed over: a stream neither waits for that nor fails by it.
create function record_event(of_user text, of_type text, subject text, with_data json) returns void language sql as $$
  with wanting as (
    select id from webhooks where user_id = of_user and enabled and of_type = any (events) for key share skip locked),
  recorded as (
    insert into events (user_id, type, subject_id, data) select of_user, of_type, subject, with_data where exists (select from wanting) returning id),
  waiting as (
    insert into webhook_deliveries (event_id, webhook_id) select recorded.id, wanting.id from recorded cross join wanting returning webhook_id)
  insert into outbox (queue, body) select 'webhooks', jsonb_build_object('webhookID', webhook_id) from waiting;
$$;

-- The triggers are made in the order in which transactions lock these tables, so that none of them and this one wait for each other.
create function record_upload_examined() returns trigger language plpgsql as $$
begin
  perform record_event(new.user_id, 'upload.' || new.probe_state, new.id, case new.probe_state
    when 'completed' then json_build_object('uploadID', new.id, 'name', new.name, 'type', new.type, 'durationSeconds', new.duration_seconds)
    else json_build_object('uploadID', new.id, 'name', new.name, 'failure', new.failure) end);
  return null;
end $$;
create trigger uploads_examined after update of probe_state on uploads
  for each row when (new.probe_state <> 'pending' and old.probe_state <> new.probe_state) execute function record_upload_examined();

create function record_stream_moved() returns trigger language plpgsql as $$
begin
  perform record_event(new.user_id, 'stream.state_changed', new.id, json_build_object(
    'streamID', new.id, 'streamStateID', new.last_transition_id::text, 'from', old.state, 'to', new.state,
    'cause', (select cause from stream_transitions where id = new.last_transition_id), 'reason', new.state_reason));
  return null;
end $$;
create trigger streams_moved after update of last_transition_id on streams
  for each row when (old.last_transition_id is distinct from new.last_transition_id) execute function record_stream_moved();

create function record_replica_change() returns trigger language plpgsql as $$
declare
  of_user text := (select user_id from streams where id = new.stream_id);
begin
  if new.state = 'live' then
    perform record_event(of_user, 'replica.connected', new.stream_id, json_build_object('streamID', new.stream_id, 'role', new.role));
  else
    perform record_event(of_user, 'replica.lost', new.stream_id, json_build_object('streamID', new.stream_id, 'role', new.role, 'reason', new.reason));
  end if;
  return null;
end $$;
create trigger replicas_changed after update of state on replicas
  for each row when ((new.state = 'live') <> (old.state = 'live') and new.wanted = 'live') execute function record_replica_change();

create function record_publish_ended() returns trigger language plpgsql as $$
begin
  if new.publish_status = 'FAILED' then
    perform record_event(new.user_id, 'playlist.publish_failed', new.id, json_build_object('playlistID', new.id, 'streamID', new.stream_id, 'failure', new.publish_failure));
  else
    perform record_event(new.user_id, 'playlist.published', new.id, json_build_object('playlistID', new.id, 'streamID', new.stream_id, 'version', new.live -> 'version'));
  end if;
  return null;
end $$;
create trigger playlists_published after update of live on playlists
  for each row when (new.live is not null and old.live is distinct from new.live) execute function record_publish_ended();
create trigger playlists_not_published after update of publish_status on playlists
  for each row when (new.publish_status = 'FAILED' and old.publish_status <> 'FAILED') execute function record_publish_ended();

-- What users are told by mail, they are told by webhook too. The command sends the mail.
create function record_notification() returns trigger language plpgsql as $$
declare
  event_type text := case new.kind
    when 'credits_end_within_day' then 'credits.low' when 'credits_end_within_hour' then 'credits.low' when 'credits_exhausted' then 'credits.exhausted'
    when 'streams_stopped_without_credits' then 'credits.streams_stopped'
    when 'payment_refunded' then 'payment.refunded' when 'payment_disputed' then 'payment.disputed' end;
begin
  if event_type = 'credits.low' then
    perform record_event(new.user_id, event_type, new.user_id, json_build_object('within', case new.kind when 'credits_end_within_day' then 'day' else 'hour' end,
      'creditsLeft', new.detail -> 'creditsLeft', 'creditsExhaustedAt', new.detail -> 'creditsExhaustedAt'));
  elsif event_type is not null then
    perform record_event(new.user_id, event_type, new.user_id, new.detail::json);
  end if;
  insert into outbox (queue, body, visible_at)
    values ('webhooks', jsonb_build_object('notificationID', new.id), greatest(now(), new.due_at));
  return null;
end $$;
-- Until now nobody sent them: what is old news is not sent any more, and a sweep finds the others.
update notifications set due_at = 'infinity' where sent_at is null and due_at < now() - interval '1 day';
create trigger notifications_added after insert on notifications for each row execute function record_notification();

alter table outbox
  drop constraint outbox_queue_check,
  add constraint outbox_queue_check check (queue in ('publish-ffmpeg', 'publish-manifest', 'media', 'imports', 'timers', 'webhooks'));
