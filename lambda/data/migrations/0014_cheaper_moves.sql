-- Moves of streams, and what replicas and live intervals write with them, at less cost: fewer index entries, and
-- triggers that run once for a statement instead of once for a row.

-- Half of each page is free, so that all streams of a page can move at once without an entry in any index.
alter table streams set (fillfactor = 50);

-- Streams without an upload or a destination of their own need no entries for them.
drop index streams_by_audio_upload;
drop index streams_by_video_upload;
drop index streams_by_destination;
create index streams_by_audio_upload on streams (audio_upload_id) where audio_upload_id is not null;
create index streams_by_video_upload on streams (video_upload_id) where video_upload_id is not null;
create index streams_by_destination on streams (destination_id) where destination_id is not null;

-- Every reader of a transition knows its stream.
alter table stream_transitions drop constraint stream_transitions_pkey;
alter table stream_transitions add constraint stream_transitions_pkey primary key (stream_id, id);
drop index stream_transitions_by_stream;

create or replace function mirror_stream() returns trigger language plpgsql as $$
begin
  perform supersede_mirror(new.id, coalesce(
    (select cause from stream_transitions
     where stream_id = new.id and id = new.last_transition_id
       and new.last_transition_id is distinct from old.last_transition_id),
    'changed'));
  return null;
end $$;

-- A transition is written while its stream is locked, so its stream exists. Deletions of streams delete transitions.
alter table stream_transitions drop constraint stream_transitions_stream_id_fkey;
create function drop_transitions() returns trigger language plpgsql as $$
begin
  delete from stream_transitions where stream_id in (select id from gone);
  return null;
end $$;
create trigger streams_drop_transitions after delete on streams referencing old table as gone
  for each statement execute function drop_transitions();

create function record_stream_moves() returns trigger language plpgsql as $$
begin
  perform record_event(n.user_id, 'stream.state_changed', n.id, json_build_object(
    'streamID', n.id, 'streamStateID', n.last_transition_id::text, 'from', was.state, 'to', n.state, 'cause',
    (select cause from stream_transitions where stream_id = n.id and id = n.last_transition_id),
    'reason', n.state_reason))
  from is_now n join was on was.id = n.id
  where was.last_transition_id is distinct from n.last_transition_id and (
    select true from webhooks where user_id = n.user_id and enabled and 'stream.state_changed' = any (events) limit 1);
  insert into due_times (stream_id, kind, due_at)
  select n.id, 'item_start', case was.state when 'activating' then coalesce(n.anchored_at, now()) else now() end
  from is_now n join was on was.id = n.id
  where was.state in ('activating', 'failing') and n.state = 'active' and (
    select true from webhooks where user_id = n.user_id and enabled and 'item.started' = any (events) limit 1)
  on conflict do nothing;
  return null;
end $$;
drop trigger streams_moved on streams;
drop trigger streams_item_start on streams;
drop function record_stream_moved;
drop function arm_item_start;
create trigger streams_moved after update on streams referencing old table as was new table as is_now
  for each statement execute function record_stream_moves();

create function record_replica_changes() returns trigger language plpgsql as $$
begin
  perform record_event(s.user_id, change.event_type, n.stream_id, change.data)
  from is_now n
  join was on was.id = n.id
  cross join lateral (select user_id from streams where id = n.stream_id offset 0) s
  cross join lateral (
    select 'replica.connected' as event_type, json_build_object('streamID', n.stream_id, 'role', n.role) as data
    where n.state = 'live' and n.wanted = 'live' and n.output_id is null
    union all
    select 'replica.lost', json_build_object('streamID', n.stream_id, 'role', n.role, 'reason', n.reason)
    where was.state = 'live' and n.wanted = 'live' and n.output_id is null
    union all
    select 'stream.output_changed', json_build_object('streamID', n.stream_id, 'outputID', output.id,
      'role', n.role, 'state', n.state, 'reason', n.reason)
    from (
      select coalesce(n.output_id, (select id from outputs where stream_id = n.stream_id and is_first)) as id) output
    where output.id is not null and (was.state = 'live' or n.state in ('live', 'failing', 'ended'))) change
  where was.state <> n.state and (
    select true from webhooks where user_id = s.user_id and enabled and change.event_type = any (events) limit 1);
  return null;
end $$;
drop trigger replicas_changed on replicas;
drop trigger replicas_output_changed on replicas;
drop function record_replica_change;
drop function record_output_change;
create trigger replicas_changed after update on replicas referencing old table as was new table as is_now
  for each statement execute function record_replica_changes();

-- Connections plan the statements of a trigger once, often for one row, and keep the plans: in sets, each row was then
-- compared with each.
alter function record_stream_moves() set enable_nestloop = off;
alter function record_replica_changes() set enable_nestloop = off;
alter function note_streams_of_replicas() set enable_nestloop = off;
alter function signal_stream() set enable_nestloop = off;

create or replace function signal_replica() returns trigger language plpgsql
set enable_seqscan = off set enable_nestloop = off as $$
begin
  insert into incident_signals (user_id, kind, subject_id, stream_id, output_id, condition, detail)
  select s.user_id, 'output_refused', n.id, n.stream_id, coalesce(begun.output_id, o.id),
    case n.state when 'failing' then 'wrong' when 'live' then 'well' else 'over' end,
    case n.state when 'failing' then jsonb_build_object(
      'name', s.name, 'output', coalesce(o.name, d.name), 'role', n.role, 'reason', n.reason) else '{}' end
  from is_now n
  join was on was.id = n.id
  cross join lateral (select user_id, name from streams where id = n.stream_id offset 0) s
  left join lateral (
    select true as is_known, output_id from begun_incident(s.user_id, 'output_refused', n.id) offset 0) begun on true
  left join lateral (
    select id, name, destination_id from outputs
    where n.state = 'failing' and stream_id = n.stream_id
      and case when n.output_id is null then is_first else id = n.output_id end offset 0) o on true
  left join lateral (select name from destinations where id = o.destination_id offset 0) d on true
  -- A replica that was given up has ended, but its output is as wrong as before.
  where was.state <> n.state and n.state in ('failing', 'live', 'ended') and not (n.state = 'ended' and n.is_given_up)
    and case n.state
      -- While no replica of the stream is live, the stream is away: an incident of its own.
      -- A replica that failed before any was live is signalled by its first failed attempt after that.
      when 'failing' then (was.failing_since is null or begun.is_known is null) and exists (
        select from replicas where stream_id = n.stream_id and id <> n.id and state = 'live')
      else begun.is_known end;
  if found then
    perform wake_incidents();
  end if;
  return null;
end $$;

create function record_account_changes() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select n.user_id, pg_current_xact_id(), 'billing', n.user_id, false
  from is_now n join was on was.user_id = n.user_id
  where was.credits_exhausted_at is distinct from n.credits_exhausted_at
  on conflict do nothing;
  perform note_signal(user_id, 'credits_low', user_id, null, null, 'well', '{}')
  from is_now n
  where warned is null
    and (select true from incidents where user_id = n.user_id and kind = 'credits_low' and ended_at is null limit 1)
    and (select true from invoices where user_id = n.user_id and remaining_credits > 0 limit 1);
  return null;
end $$;
alter function record_account_changes() set enable_nestloop = off;
drop trigger billing_accounts_note_changed on billing_accounts;
drop trigger billing_accounts_signalled on billing_accounts;
drop function signal_credits_left;
create trigger billing_accounts_changed after update on billing_accounts
  referencing old table as was new table as is_now for each statement execute function record_account_changes();

-- One index finds the signals of a user and of a subject.
alter table incident_signals drop constraint incident_signals_pkey;
alter table incident_signals add constraint incident_signals_pkey primary key (user_id, kind, subject_id, id);
drop index incident_signals_by_user;
drop index incident_signals_by_subject;

-- Intervals of a user that end together are spent by one transaction of the ledger, which has the id of the first of
-- them as its reference. Null: the interval was spent by itself, or is open.
alter table live_intervals add column spent_as bigint;
-- One index finds the open intervals of a user and those that ended within a time.
create index live_intervals_of_user on live_intervals (user_id, ended_at);
drop index live_intervals_by_user;
drop index live_intervals_open_by_user;
-- A replica belongs to one stream, so one index finds the open intervals of a stream and keeps them unique.
create unique index live_intervals_open_of_stream on live_intervals (stream_id, replica_id) where ended_at is null;
drop index live_intervals_open;
drop index live_intervals_open_by_stream;

-- Timers are set for the kinds of due times whose places fire them, so they find them as the places do.
drop index due_times_by_time;
