-- Incidents of replicas name the output that does not take its stream, also the first one.

-- As before, but a signal is of the output of which the incident has begun: a first output may be gone by its end.
create or replace function note_signal(
  of_user text, of_kind text, of_subject text, of_stream text, of_output text, is_in text, with_detail jsonb)
returns void language plpgsql as $$
declare
  known_output text;
begin
  select output_id into known_output from (
    select output_id from incidents
    where user_id = of_user and kind = of_kind and subject_id = of_subject and ended_at is null
    union all
    select output_id from incident_signals where user_id = of_user and kind = of_kind and subject_id = of_subject) begun
  limit 1;
  if not found then
    if is_in <> 'wrong' then
      return;
    end if;
    known_output := of_output;
  end if;
  -- Where the user is being deleted, there is nobody to tell.
  insert into incident_signals (user_id, kind, subject_id, stream_id, output_id, condition, detail)
  select id, of_kind, of_subject, of_stream, known_output, is_in, with_detail from users where id = of_user;
  -- One command is enough for all that a transaction signals. That of another transaction may be carried out before
  -- this one is committed.
  if found and not exists (
      select from outbox where queue = 'webhooks' and user_id = of_user and dead_at is null and body ? 'incidentsOf'
        and xmin = pg_current_xact_id()::xid) then
    insert into outbox (queue, body, user_id) values ('webhooks', jsonb_build_object('incidentsOf', of_user), of_user);
  end if;
end $$;

create or replace function signal_replica() returns trigger language plpgsql as $$
declare
  s record;
  o record;
begin
  select user_id, name into s from streams where id = new.stream_id;
  if new.state <> 'failing' then
    perform note_signal(s.user_id, 'output_refused', new.id, new.stream_id, null,
      case new.state when 'live' then 'well' else 'over' end, '{}');
  elsif exists (select from replicas where stream_id = new.stream_id and id <> new.id and state = 'live') then
    select outputs.id, coalesce(outputs.name, d.name) as name into o
    from outputs join destinations d on d.id = outputs.destination_id
    where case when new.output_id is null then outputs.stream_id = new.stream_id and is_first
      else outputs.id = new.output_id end;
    perform note_signal(s.user_id, 'output_refused', new.id, new.stream_id, o.id, 'wrong',
      jsonb_build_object('name', s.name, 'output', o.name, 'role', new.role, 'reason', new.reason));
  end if;
  return null;
end $$;
