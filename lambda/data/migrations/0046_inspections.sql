-- What a content is like from beginning to end, and pictures of it: looked through once for each content, in turns.

create table inspections (
  content_hash text primary key,
  -- Who was the first to upload it: turns are shared out by user.
  user_id text not null,
  turn bigint not null,
  state text not null default 'pending' check (state in ('pending', 'completed', 'removing')),
  -- No upload has the content any more.
  is_orphan boolean not null default false,
  -- Who works at it, and until when nobody else does.
  claim uuid,
  claimed_until timestamptz,
  -- How often it was claimed since it last got on.
  attempts integer not null default 0,
  -- From 0 to 1.
  share double precision not null default 0,
  -- What was measured so far, as domain/measurements.ts has it, and how long that took.
  measurements jsonb,
  tool_seconds double precision not null default 0,
  findings jsonb not null default '[]',
  -- The kinds of the findings, each once.
  finding_kinds text[] not null default '{}',
  loudness jsonb,
  -- Null until they are made.
  pictures jsonb
);
create index inspections_by_turn on inspections (turn, content_hash) where state <> 'completed';
create index inspections_by_user on inspections (user_id, turn) where state <> 'completed';
create index inspections_orphaned on inspections (content_hash) where is_orphan;

-- The turn after a user's last one, or the one that is being served.
create function next_inspection_turn(of_user text) returns bigint language sql stable as $$
  select greatest(
    coalesce((select min(turn) from inspections where state <> 'completed'), 0),
    coalesce((select max(turn) + 1 from inspections where state <> 'completed' and user_id = of_user), 0))
$$;

-- A copy of that of the content, for lists and for the readiness of streams.
alter table uploads add column finding_kinds text[] not null default '{}';

-- Whoever finds out which content an upload has asks for its inspection, and copies what another one has found.
create function note_inspected_content() returns trigger language plpgsql as $$
begin
  new.finding_kinds := '{}';
  if new.content_hash is not null then
    insert into inspections as i (content_hash, user_id, turn)
    values (new.content_hash, new.user_id, next_inspection_turn(new.user_id))
    on conflict (content_hash) do update set is_orphan = false
    returning finding_kinds into new.finding_kinds;
  end if;
  return new;
end $$;
create trigger upload_inspected before update of content_hash on uploads
  for each row when (new.content_hash is distinct from old.content_hash) execute function note_inspected_content();

-- Of two who leave a content at the same time, the second waits for the first, and then sees that nobody has it.
create function note_left_content() returns trigger language plpgsql as $$
begin
  perform from inspections where content_hash = old.content_hash for update;
  update inspections set is_orphan = true
  where content_hash = old.content_hash and not exists (select from uploads where content_hash = old.content_hash);
  return null;
end $$;
create trigger upload_deleted after delete on uploads
  for each row when (old.content_hash is not null) execute function note_left_content();
create trigger upload_content_left after update of content_hash on uploads
  for each row when (old.content_hash is not null and new.content_hash is distinct from old.content_hash)
  execute function note_left_content();

-- Only what has findings has a term that says so: what was uploaded before has none, and stays as it is.
create function findings_term(user_id text) returns text language sql immutable parallel safe as $$
  select user_id || ' f'
$$;

create or replace function set_upload_terms() returns trigger language plpgsql as $$
begin
  new.terms := upload_terms(new.user_id, new.name, new.folder, new.tags, new.type, new.probe_state);
  if new.finding_kinds <> '{}' then
    new.terms := new.terms || array_to_tsvector(array[findings_term(new.user_id)]);
  end if;
  return new;
end $$;
-- Triggers run in the order of their names.
create or replace trigger upload_terms
  before insert or update of name, folder, tags, type, probe_state, finding_kinds, content_hash on uploads
  for each row execute function set_upload_terms();

create function upload_query(
  user_id text, words text, tags text[], type text, probe_state text, in_folder text, below_folder text,
  has_findings boolean
) returns tsquery language sql immutable parallel safe as $$
  select case
    when has_findings is null then asked
    when asked is null then with_findings
    else asked && with_findings end
  from (
    select asked, case when has_findings then found else !! found end as with_findings
    from (
      select upload_query(user_id, words, tags, type, probe_state, in_folder, below_folder) as asked,
        ('''' || replace(replace(findings_term(user_id), '\', '\\'), '''', '''''') || '''')::tsquery as found
    ) as terms
  ) as queries
$$;
