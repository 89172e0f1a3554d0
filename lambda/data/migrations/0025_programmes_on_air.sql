-- Programmes on the air: published versions, and the states that their planners continue from.
alter table programmes
  -- ProgrammeRules without the seed, with version and publishedAt; null: not published.
  add column live jsonb,
  -- The end of the rows that are planned for the present run; null: no run.
  add column planned_until timestamptz,
  -- The code and detail of the reason for which the last plan has no rows; null: it has.
  add column plan_failure jsonb;

create table programme_versions (
  programme_id text not null references programmes (id) on delete cascade,
  version integer not null,
  published_at timestamptz not null default now(),
  -- ProgrammeRules without the seed.
  rules jsonb not null,
  primary key (programme_id, version)
);

-- The state of a planner before the first row that begins at or after a time.
create table programme_states (
  programme_id text not null references programmes (id) on delete cascade,
  at timestamptz not null,
  -- PlannerState (lambda/domain/programme/planned-row.ts).
  state jsonb not null,
  primary key (programme_id, at)
);

-- The tracks with a published programme; null: none. An empty array would take room in each version of a stream, and
-- fewer of them would stay on their page.
alter table streams add column planned_tracks text[]
  check (planned_tracks <@ array['video', 'audio'] and planned_tracks <> '{}');

alter table due_times drop constraint due_times_kind_check;
alter table due_times add constraint due_times_kind_check check (kind in (
  'schedule_start', 'schedule_end', 'duration_over', 'activation_timeout', 'broadcast_rotation', 'item_start', 'joins',
  'plan'));
insert into places (work, number) values ('plans', 1), ('plans', 2);

-- A plan adds many entries by one statement: agents read the timeline again once.
create function count_timeline_revisions() returns trigger language plpgsql as $$
begin
  update replicas set timeline_revision = timeline_revision + 1
  where stream_id in (select stream_id from added where number > 0);
  return null;
end $$;
drop trigger timeline_entries_count_revision on timeline_entries;
create trigger timeline_entries_count_revision after update on timeline_entries
  for each row when (new.number > 0) execute function count_timeline_revision();
create trigger timeline_entries_added after insert on timeline_entries
  referencing new table as added for each statement execute function count_timeline_revisions();

-- Uploads that come, go or change are in the next plan of their user's programmes. A deletion has locked these streams.
create index streams_with_programme on streams (user_id) where planned_tracks is not null;
create function plan_programmes_again() returns trigger language plpgsql as $$
declare
  changed uploads := coalesce(new, old);
begin
  insert into due_times (stream_id, kind, due_at)
  select id, 'plan', case tg_op when 'DELETE' then now() else now() + interval '2 minutes' end from streams
  where user_id = changed.user_id and planned_tracks is not null and state in ('activating', 'active', 'failing')
    and anchored_at is not null
  on conflict (stream_id, kind) do update set due_at = excluded.due_at where due_times.due_at > excluded.due_at;
  return null;
end $$;
create trigger uploads_planned_again after update of probe_state, folder, tags, given_titles, name on uploads
  for each row when (new.probe_state = 'completed' and (
    old.probe_state, old.folder, old.tags, old.given_titles, old.name) is distinct from (
    new.probe_state, new.folder, new.tags, new.given_titles, new.name)) execute function plan_programmes_again();
create trigger uploads_planned_without after delete on uploads
  for each row when (old.probe_state = 'completed') execute function plan_programmes_again();
