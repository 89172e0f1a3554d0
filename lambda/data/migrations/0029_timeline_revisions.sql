-- How often what a replica plays has changed since its start: agents load a timeline only when there is a new one.
alter table replicas add column timeline_revision integer not null default 0;

-- A trigger, as the release before writes timelines too. A start writes entry 0, before it makes the replicas.
create function count_timeline_revision() returns trigger language plpgsql as $$
begin
  update replicas set timeline_revision = timeline_revision + 1 where stream_id = new.stream_id;
  return null;
end $$;
create trigger timeline_entries_count_revision after insert or update on timeline_entries
  for each row when (new.number > 0) execute function count_timeline_revision();
