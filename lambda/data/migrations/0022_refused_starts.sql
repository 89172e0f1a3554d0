-- A recurrence continues after a scheduled start that was refused or missed. Its incident stays until a start succeeds.
create or replace function signal_stream() returns trigger language plpgsql
set enable_seqscan = off set enable_nestloop = off as $$
begin
  insert into incident_signals (user_id, kind, subject_id, stream_id, condition, detail)
  select n.user_id, 'stream_away', n.id, n.id,
    case when n.state in ('failing', 'failed') then 'wrong' when n.state = 'active' then 'well' else 'over' end,
    jsonb_build_object('name', n.name, 'state', n.state, 'reason', n.state_reason)
  from is_now n join was on was.id = n.id
  -- A retry alone does not make a stream well, nor does the wait for one after a scheduled start that was refused.
  where was.state <> n.state and n.state not in ('activating', 'preparing')
    and (n.state <> 'scheduled' or n.state_reason is null)
    and (n.state in ('failing', 'failed') or exists (select from begun_incident(n.user_id, 'stream_away', n.id)));
  if found then
    perform wake_incidents();
  end if;
  -- The end of the stream ends the incidents of outputs that were given up.
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
