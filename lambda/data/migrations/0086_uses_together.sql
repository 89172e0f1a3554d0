-- What changes together is locked together: no two transactions of one user wait in a circle, although the one has
-- asked for room of one kind and the triggers of the other count another kind first.

-- The limits whose use one change may count, in the order in which they are locked.
create function counted_together(of_limit text) returns text[] language sql immutable as $$
  select coalesce((
    select names from (values
      (array['captionBytes', 'imports', 'incomingBytes', 'multipartUploads', 'storedBytes', 'uploads']),
      (array['keptAnswerBytes', 'keptAnswers']),
      (array['playlistItems', 'playlists'])) families (names)
    where of_limit = any (names)), array[of_limit]) $$;

-- Locks the use of limits, and of what is counted together with them, until the transaction ends.
create function lock_uses(of_user text, of_limits text[]) returns void language plpgsql as $$
declare
  names text[] := array(
    select distinct name collate "C" from unnest(of_limits) wanted, unnest(counted_together(wanted)) name order by 1);
begin
  insert into limit_use (user_id, limit_name) select of_user, unnest(names) on conflict do nothing;
  perform from limit_use where user_id = of_user and limit_name = any (names)
  order by limit_name collate "C" for no key update;
end $$;

create or replace function note_use(of_user text, of_limit text, change bigint) returns void language plpgsql as $$
begin
  if change = 0 then return; end if;
  -- Where the user is being deleted, there may be no rows any more, and none may be made.
  perform from limit_use where user_id = of_user and limit_name = any (counted_together(of_limit))
  order by limit_name collate "C" for no key update;
  if change > 0 then
    insert into limit_use as u (user_id, limit_name, used) values (of_user, of_limit, change)
    on conflict (user_id, limit_name) do update set used = u.used + excluded.used;
  else
    update limit_use set used = used + change where user_id = of_user and limit_name = of_limit;
  end if;
end $$;
