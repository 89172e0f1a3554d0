-- Renditions of contents that no upload has any more are marked, as inspections are, and the mark asks for their
-- deletion. A search for them read all renditions.

-- A deletion that is under way would mark nothing.
lock table uploads in share mode;
alter table renditions add column is_orphan boolean not null default false;
update renditions r set is_orphan = true
where not exists (select from uploads u where u.content_hash = r.content_hash);
create index renditions_orphaned on renditions (content_hash, format) where is_orphan;

create index outbox_of_removals on outbox (visible_at)
  where queue = 'media' and body @> '{"task": "remove_renditions"}' and dead_at is null;

-- Asks for the deletion of orphans, unless a command for it is due in the second half of that time: with a minute, this
-- transaction is over by then, as it lasts 30 seconds at most. So two wait at most, however many uploads are deleted.
create function ask_to_remove_orphans(after_seconds int default 60) returns void language sql as $$
  insert into outbox (queue, body, visible_at)
  select 'media', '{"task": "remove_renditions"}', now() + make_interval(secs => after_seconds)
  where not exists (
    select from outbox
    where queue = 'media' and body @> '{"task": "remove_renditions"}' and dead_at is null and receipt is null
      and visible_at > now() + make_interval(secs => after_seconds / 2.0)
      and visible_at <= now() + make_interval(secs => after_seconds))
$$;

-- Marks what is left of a content as orphaned if no upload has the content, and its renditions as kept if one has. The
-- row in `inspections` makes transactions that leave a content, get it, or add a rendition of it follow each other.
create function mark_orphans(content text) returns void language plpgsql as $$
declare
  is_left boolean;
  is_new boolean;
begin
  perform from inspections where content_hash = content for update;
  is_left := not exists (select from uploads where content_hash = content);
  update inspections set is_orphan = true where content_hash = content and is_left and not is_orphan;
  is_new := found;
  update renditions set is_orphan = is_left where content_hash = content and is_orphan <> is_left;
  if is_left and (is_new or found) then perform ask_to_remove_orphans(); end if;
end $$;

create or replace function note_left_content() returns trigger language plpgsql as $$
begin
  perform mark_orphans(old.content_hash);
  return null;
end $$;

create or replace function note_inspected_content() returns trigger language plpgsql as $$
begin
  new.finding_kinds := '{}';
  if new.content_hash is not null then
    insert into inspections as i (content_hash, user_id, turn)
    values (new.content_hash, new.user_id, next_inspection_turn(new.user_id))
    on conflict (content_hash) do update set is_orphan = false
    returning finding_kinds into new.finding_kinds;
    update renditions set is_orphan = false where content_hash = new.content_hash and is_orphan;
  end if;
  return new;
end $$;

-- A worker may add a rendition after the last upload of its content was deleted. The lock waits for a deletion, and
-- for nothing else.
create function note_orphaned_rendition() returns trigger language plpgsql as $$
begin
  perform from inspections where content_hash = new.content_hash for key share;
  new.is_orphan := not exists (select from uploads where content_hash = new.content_hash);
  if new.is_orphan then perform ask_to_remove_orphans(); end if;
  return new;
end $$;
create trigger rendition_of_content before insert on renditions
  for each row execute function note_orphaned_rendition();

select ask_to_remove_orphans() where exists (select from renditions where is_orphan);
