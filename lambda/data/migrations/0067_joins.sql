-- Joins of sound: a few seconds that are prepared once for two items, and sent where the one follows the other.

create table joins (
  -- Made of all that decides what is heard, as joinName of domain/sound-joins.ts makes it.
  name text primary key,
  -- As JoinRecipe there.
  recipe jsonb not null,
  content_hashes text[] not null,
  state text not null default 'preparing' check (state in ('preparing', 'ready', 'failed')),
  asked_at timestamptz not null default now()
);
create index joins_by_content on joins using gin (content_hashes);
create index joins_by_time on joins (asked_at);

create table timeline_joins (
  stream_id text not null references streams on delete cascade,
  name text not null,
  -- It is sent where it begins at this time of the run or later; null: not yet, as it is not made.
  from_seconds double precision,
  primary key (stream_id, name)
);
create index timeline_joins_by_name on timeline_joins (name);

-- How many joins of the next minutes are cuts yet; null: nothing that is played has joins.
alter table streams add column pending_joins integer;
create index streams_with_joins on streams (id)
  where pending_joins is not null and state in ('preparing', 'activating', 'active', 'failing');

alter table due_times
  drop constraint due_times_kind_check,
  add constraint due_times_kind_check check (kind in
    ('schedule_start', 'schedule_end', 'duration_over', 'activation_timeout', 'broadcast_rotation', 'item_start',
      'joins'));

-- A run begins without joins, whichever release begins it.
create function forget_joins() returns trigger language plpgsql as $$
begin
  delete from timeline_joins where stream_id = new.id;
  new.pending_joins := null;
  return new;
end $$;
create trigger streams_forget_joins before update of run_quality on streams
  for each row execute function forget_joins();
