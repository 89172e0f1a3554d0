-- The changes that requests make are bounded: in number for each subject, and in how long they wait for a lock.

-- Bounds a transaction as a change of the subject. False: as many changes of the subject are under way.
-- A function, because RDS Proxy pins a client that sends SET.
create function begin_change(subject text, at_once int, lock_wait_ms int) returns boolean language plpgsql
as $$
begin
  perform set_config('lock_timeout', lock_wait_ms::text, true);
  for turn in 1 .. at_once loop
    if pg_try_advisory_xact_lock(hashtextextended('change ' || subject, turn)) then return true; end if;
  end loop;
  return false;
end $$;
