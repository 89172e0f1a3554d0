-- Bounds a transaction as a change of the subject, and the time of each of its statements.
-- A function, because RDS Proxy pins a client whose statements name set_config.
create function begin_change(subject text, at_once int, lock_wait_ms int, statement_ms int) returns boolean
language plpgsql
as $$
declare
  may_change boolean := begin_change(subject, at_once, lock_wait_ms);
begin
  perform set_config('statement_timeout', statement_ms::text, true);
  return may_change;
end $$;
