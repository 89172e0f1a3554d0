-- The time of calls counts in several windows at once: the last one is of all users who are not funded.

-- Counts calls in the window of the first subject, and their time in those of all. Small calls, which reserve nothing
-- and leave nothing to count, touch the first window only.
-- A function, because Postgres plans the statement of each request, and the plans within a function are kept.
-- part: a further subject, which counts once the last one of `subjects` takes more than part_from_ms; null: none. It
-- refuses only calls that reserve time, so no change.
-- most_ms: by subject, that of the part last. reserved_ms: not taken if the time of a window is used up.
-- of_windows: by subject, as of work_before.
create function count_work(
  subjects text[], part text, part_from_ms int, most_ms int[], call_class text, calls int, reserved_ms int,
  uncounted_ms int, of_windows timestamptz[],
  out requests int, out reset_seconds int, out share real, out used_up text, out began timestamptz[])
language plpgsql
as $$
declare
  own int := cardinality(subjects);
  counted request_windows;
  reserves_here boolean := true;
begin
  share := 0;
  for turn in 1 .. own + 1 loop
    exit when turn > 1 and uncounted_ms = 0 and (reserved_ms = 0 or used_up is not null);
    if turn > own then
      reserves_here := counted.work_ms + reserved_ms > part_from_ms;
      -- A window takes back what it has counted, also from a subject that now takes less.
      exit when part is null or not reserves_here and (uncounted_ms >= 0 or of_windows[turn] is null);
      subjects := subjects || part;
    end if;
    insert into request_windows as running (subject, class, requests, work_ms)
    values (subjects[turn], call_class, case when turn = 1 then calls else 0 end, greatest(0, uncounted_ms))
    on conflict (subject, class) do update set
      work_ms = work_before(running.began_at, running.work_ms, uncounted_ms, of_windows[turn]),
      requests = excluded.requests
        + case when running.began_at > now() - interval '1 minute' then running.requests else 0 end,
      began_at = case when running.began_at > now() - interval '1 minute' then running.began_at else now() end
    returning * into counted;
    continue when not reserves_here;
    began := began || counted.began_at;
    share := greatest(share, counted.work_ms / most_ms[turn]::real);
    if turn = 1 then requests := counted.requests; end if;
    continue when turn > 1 and (counted.work_ms < most_ms[turn] or turn > own and reserved_ms = 0);
    if counted.work_ms >= most_ms[turn] then used_up := counted.subject; end if;
    if turn = 1 or used_up is not null then
      -- If a call waits for a later one, its window begins after its own now().
      reset_seconds := greatest(1, least(60, ceil(60 - extract(epoch from now() - counted.began_at))));
    end if;
  end loop;
  if used_up is null and reserved_ms > 0 then
    update request_windows set work_ms = request_windows.work_ms + reserved_ms
    where subject = any (subjects[1 : cardinality(began)]) and class = call_class;
  end if;
end $$;

-- Bounds a transaction as a change of the subject and, if the subject has a part with others, of these together. One
-- change of each subject needs no place of the part, so that others keep no user from a stop.
-- part: null, if there is none. Returns the subject or the part, if it has as many changes under way; else null.
create function begin_change(
  subject text, at_once int, part text, part_at_once int, lock_wait_ms int, statement_ms int) returns text
language plpgsql
as $$
begin
  if begin_change(subject, 1, lock_wait_ms, statement_ms) then return null; end if;
  if not begin_change(subject, at_once, lock_wait_ms, statement_ms) then return subject; end if;
  if part is null then return null; end if;
  for turn in 1 .. part_at_once loop
    -- Processes begin with different places, so that most find one at once.
    if pg_try_advisory_xact_lock(hashtextextended('changes of ' || part, (pg_backend_pid() + turn) % part_at_once)) then
      return null;
    end if;
  end loop;
  return part;
end $$;
