-- A programme on the air that cannot be planned is an incident of its user, until it can, or its run is over.
create function signal_programme() returns trigger language plpgsql as $$
begin
  perform note_signal(new.user_id, 'programme_not_planned', new.id, new.stream_id, null,
    case when new.plan_failure is null then 'well' else 'wrong' end,
    jsonb_build_object('name', stream.name, 'reason', new.plan_failure))
  from streams stream
  where stream.id = new.stream_id
    and (new.plan_failure is null or stream.state in ('activating', 'active', 'failing'));
  return null;
end $$;
create trigger programmes_signalled after update of plan_failure on programmes
  for each row when (old.plan_failure is distinct from new.plan_failure) execute function signal_programme();
create trigger programmes_signalled_gone after delete on programmes
  for each row execute function signal_gone('programme_not_planned');

-- Plans belong to a run.
create function forget_plans() returns trigger language plpgsql as $$
begin
  update programmes set planned_until = null, plan_failure = null
  where stream_id = new.id and (planned_until is not null or plan_failure is not null);
  return null;
end $$;
create trigger streams_plans_over after update of state on streams
  for each row when (new.planned_tracks is not null and old.state <> new.state
    and new.state in ('draft', 'invalid', 'stopped', 'failed')) execute function forget_plans();
