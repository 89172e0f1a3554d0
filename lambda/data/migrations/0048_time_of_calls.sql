-- The time that the calls of a user take is limited by minute, beside their number.

alter table request_windows
  -- Milliseconds of the calls that the window counts, and of those under way that have paid for some in advance.
  add column work_ms integer not null default 0,
  -- Whether the time was used up when the last calls arrived.
  add column is_used_up boolean not null default false;

-- The milliseconds of a window of a minute before further calls, with those that a process has not counted yet. Below
-- 0, these are taken back from the window that has counted them, and from no other one.
-- A function, because Postgres plans the statement of each request, and expressions in it take longer than this call.
create function work_before(began_at timestamptz, work_ms int, uncounted_ms int, of_window timestamptz) returns int
language plpgsql stable
as $$
begin
  if began_at <= now() - interval '1 minute' then return greatest(0, uncounted_ms); end if;
  if uncounted_ms > 0 or began_at = of_window then return greatest(0, work_ms + uncounted_ms); end if;
  return work_ms;
end $$;

-- Gives the statements of a transaction 30 seconds each. Others, such as those of reads, have 10: those of the role.
create function begin_work() returns void language plpgsql
as $$
begin
  perform set_config('statement_timeout', '30s', true);
end $$;

create or replace function begin_change(subject text, at_once int, lock_wait_ms int) returns boolean language plpgsql
as $$
begin
  perform begin_work();
  perform set_config('lock_timeout', lock_wait_ms::text, true);
  for turn in 1 .. at_once loop
    if pg_try_advisory_xact_lock(hashtextextended('change ' || subject, turn)) then return true; end if;
  end loop;
  return false;
end $$;
