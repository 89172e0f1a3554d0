-- Losses of thousands of streams: what each of them costs, and how many transactions work on them at the same time.

-- Rows that a few transactions at a time lock, of all that want to do the same work in the same moment.
create table places (
  work text not null,
  number integer not null,
  primary key (work, number)
);
insert into places (work, number)
select 'recovery', generate_series(1, 4) union all select 'takeover', generate_series(1, 8);

-- A loss moves each stream twice, and nearly nobody has a webhook that wants to hear of it. That is found out before
-- anything else is done: an event is neither worded nor are its parts looked up.

create or replace function record_event(of_user text, of_type text, subject text, with_data json) returns void
language plpgsql as $$
begin
  if not exists (select from webhooks where user_id = of_user and enabled and of_type = any (events)) then
    return;
  end if;
  -- A sender that has begun goes on until nothing is due. So where several deliveries are due already, each of which
  -- has sent its command, one more command would wake nobody up.
  with wanting as (
    select id, silent_until, (
      select count(*) from (
        select from webhook_deliveries
        where webhook_id = webhooks.id and state = 'pending' and next_attempt_at <= now() limit 8) due_ones) as due
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

create or replace function record_stream_moved() returns trigger language plpgsql as $$
begin
  if exists (
    select from webhooks where user_id = new.user_id and enabled and 'stream.state_changed' = any (events)) then
    perform record_event(new.user_id, 'stream.state_changed', new.id, json_build_object(
      'streamID', new.id, 'streamStateID', new.last_transition_id::text, 'from', old.state, 'to', new.state,
      'cause', (select cause from stream_transitions where id = new.last_transition_id), 'reason', new.state_reason));
  end if;
  return null;
end $$;

create or replace function record_replica_change() returns trigger language plpgsql as $$
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
