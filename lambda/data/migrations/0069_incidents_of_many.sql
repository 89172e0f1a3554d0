-- Thousands of streams move in one statement when agents are lost. What is signalled of them, and noted for those who
-- poll, is written by one statement as well, and one command wakes whoever looks at the incidents of all users.

create index incidents_by_due on incidents (due_at) where due_at is not null;
create index outbox_of_incidents on outbox (visible_at)
  where queue = 'webhooks' and body ? 'incidents' and dead_at is null;

-- A moment later, as this transaction is to be over by then. A command that comes later than that is as good.
create function wake_incidents() returns void language sql as $$
  insert into outbox (queue, body, visible_at)
  select 'webhooks', '{"incidents": ""}', now() + interval '2 seconds'
  where not exists (
    select from outbox
    where queue = 'webhooks' and body ? 'incidents' and dead_at is null and receipt is null
      and visible_at > now() + interval '1 second' and visible_at <= now() + interval '2 seconds')
$$;

-- What incident a signal that something is not wrong any more is about; no row: none. A change of that cannot be under
-- way, as both are written by whoever has locked the row of the subject.
create function begun_incident(of_user text, of_kind text, of_subject text)
returns table (output_id text) language sql stable as $$
  select output_id from incidents
  where user_id = of_user and kind = of_kind and subject_id = of_subject and ended_at is null
  union all
  select output_id from incident_signals where user_id = of_user and kind = of_kind and subject_id = of_subject
  limit 1
$$;

-- As before, but one command is enough for all users.
create or replace function note_signal(
  of_user text, of_kind text, of_subject text, of_stream text, of_output text, is_in text, with_detail jsonb)
returns void language plpgsql as $$
begin
  -- Where the user is being deleted, there is nobody to tell.
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

drop trigger streams_signalled on streams;
create or replace function signal_stream() returns trigger language plpgsql as $$
begin
  insert into incident_signals (user_id, kind, subject_id, stream_id, condition, detail)
  select n.user_id, 'stream_away', n.id, n.id,
    case when n.state in ('failing', 'failed') then 'wrong' when n.state = 'active' then 'well' else 'over' end,
    jsonb_build_object('name', n.name, 'state', n.state, 'reason', n.state_reason)
  from is_now n join was on was.id = n.id
  -- A stream that is tried once more has not been well for that.
  where was.state <> n.state and n.state not in ('activating', 'preparing')
    and (n.state in ('failing', 'failed') or exists (select from begun_incident(n.user_id, 'stream_away', n.id)));
  if found then
    perform wake_incidents();
  end if;
  -- With the stream ends what is wrong of outputs that were given up.
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
create trigger streams_signalled after update on streams referencing old table as was new table as is_now
  for each statement execute function signal_stream();

drop trigger replicas_signalled on replicas;
create or replace function signal_replica() returns trigger language plpgsql as $$
begin
  with moved as materialized (
    select n.*, was.failing_since as has_failed_since
    from is_now n join was on was.id = n.id
    -- What was given up has ended, but is as wrong as before.
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
    -- While nothing of the stream is live, the stream is away, which is told of by itself.
    -- What failed before anything was live is signalled by the attempt that fails after that.
    when 'failing' then (n.has_failed_since is null or begun.is_known is null) and exists (
      select from replicas where stream_id = n.stream_id and id <> n.id and state = 'live')
    else begun.is_known end;
  if found then
    perform wake_incidents();
  end if;
  return null;
end $$;
create trigger replicas_signalled after update on replicas referencing old table as was new table as is_now
  for each statement execute function signal_replica();

drop trigger replicas_note_changed on replicas;
create function note_streams_of_replicas() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select distinct s.user_id, pg_current_xact_id(), 'stream', s.id, s.deleted_at is not null
  from is_now n join was on was.id = n.id join streams s on s.id = n.stream_id
  where was.state <> n.state or was.reason is distinct from n.reason
  on conflict do nothing;
  return null;
end $$;
create trigger replicas_note_changed after update on replicas referencing old table as was new table as is_now
  for each statement execute function note_streams_of_replicas();
