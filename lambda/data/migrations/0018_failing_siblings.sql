-- When the first output of a stream is on the air again, each other output that still fails becomes an incident of its
-- own. While none was on the air, the stream was the incident, and no later change of such an output signalled it.
create or replace function signal_replica() returns trigger language plpgsql
set enable_seqscan=off set enable_nestloop=off
as $$
begin
  insert into incident_signals (user_id, kind, subject_id, stream_id, output_id, condition, detail)
  with changed as (
    select n.*, was.failing_since is null as is_first_failure, false as is_sibling
    from is_now n join was on was.id = n.id
    where was.state <> n.state and n.state in ('failing', 'live', 'ended')
      and not (n.state = 'ended' and n.is_given_up)),
  told as (
    select id, stream_id, output_id, role, state, reason, is_first_failure, is_sibling from changed
    union
    select o.id, o.stream_id, o.output_id, o.role, o.state, o.reason, false, true
    from changed n
    cross join lateral (
      select id, stream_id, output_id, role, state, reason from replicas
      where stream_id = n.stream_id and id <> n.id and state = 'failing' and wanted <> 'ended' offset 0) o
    where n.state = 'live')
  select s.user_id, 'output_refused', n.id, n.stream_id, coalesce(begun.output_id, o.id),
    case n.state when 'failing' then 'wrong' when 'live' then 'well' else 'over' end,
    case n.state when 'failing' then jsonb_build_object(
      'name', s.name, 'output', coalesce(o.name, d.name), 'role', n.role, 'reason', n.reason) else '{}' end
  from told n
  cross join lateral (select user_id, name from streams where id = n.stream_id offset 0) s
  left join lateral (
    select true as is_known, output_id from begun_incident(s.user_id, 'output_refused', n.id) offset 0) begun on true
  left join lateral (
    select id, name, destination_id from outputs
    where n.state = 'failing' and stream_id = n.stream_id
      and case when n.output_id is null then is_first else id = n.output_id end offset 0) o on true
  left join lateral (select name from destinations where id = o.destination_id offset 0) d on true
  where case
    when n.is_sibling then begun.is_known is null
    when n.state = 'failing' then (n.is_first_failure or begun.is_known is null) and exists (
      select from replicas where stream_id = n.stream_id and id <> n.id and state = 'live')
    else begun.is_known end;
  if found then
    perform wake_incidents();
  end if;
  return null;
end $$;
