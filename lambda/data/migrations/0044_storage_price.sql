-- What storage costs: how much users had stored, hour by hour, and what each day of it has cost them.

-- How many bytes a user had at the end of an hour: there is a row where that had changed. Kept until the days are
-- charged in which they count.
create table stored_levels (
  user_id text not null references users on delete cascade,
  hour timestamptz not null,
  bytes bigint not null,
  primary key (user_id, hour)
);

-- Whoever changes the row of limit_use holds its lock, so the clock orders them.
create function note_stored_level() returns trigger language plpgsql as $$
begin
  insert into stored_levels (user_id, hour, bytes)
  values (new.user_id, date_trunc('hour', clock_timestamp(), 'UTC'), new.used)
  on conflict (user_id, hour) do update set bytes = excluded.bytes;
  delete from stored_levels
  where user_id = new.user_id and hour < (
    select max(hour) from stored_levels
    where user_id = new.user_id and hour < least(
      clock_timestamp() - interval '7 days',
      (select (charged_to + 1)::timestamp at time zone 'UTC' from storage_accounts where user_id = new.user_id)));
  return null;
end $$;
create trigger limit_use_stored after insert on limit_use
  for each row when (new.limit_name = 'storedBytes' and new.used <> 0) execute function note_stored_level();
create trigger limit_use_stored_changed after update of used on limit_use
  for each row when (new.limit_name = 'storedBytes' and new.used <> old.used) execute function note_stored_level();

lock table limit_use in share row exclusive mode;
insert into stored_levels (user_id, hour, bytes)
  select user_id, date_trunc('hour', now(), 'UTC'), used from limit_use where limit_name = 'storedBytes' and used > 0;

-- Users who have been told that their storage begins to cost.
create table storage_accounts (
  user_id text primary key references users on delete cascade,
  told_at timestamptz not null,
  -- The last day, in UTC, that is charged or costs nothing.
  charged_to date not null
);
create index storage_accounts_by_day on storage_accounts (charged_to);
create index limit_use_of_storage on limit_use (used) where limit_name = 'storedBytes';

-- The one place where stored bytes become credits, rounded to their 4 decimals. A month has 720 hours.
create function storage_cost(credits_per_gib_month numeric, byte_hours numeric) returns numeric
language sql immutable parallel safe
return round(credits_per_gib_month * byte_hours / (1073741824::numeric * 720), 4);

create table storage_charges (
  user_id text not null references users,
  day date not null,
  -- The sum over the hours of the day of the bytes beyond the allowance.
  byte_hours numeric not null check (byte_hours > 0),
  credits_per_gib_month numeric(10, 4) not null check (credits_per_gib_month >= 0),
  -- What was taken: less than the cost where the user has had no credits for long.
  credits numeric(14, 4) not null check (credits >= 0),
  primary key (user_id, day)
);

-- The list has only grown: no row that is there has to be read for it.
alter table ledger_transactions
  drop constraint ledger_transactions_cause_check,
  add constraint ledger_transactions_cause_check check (cause in
    ('purchase', 'grant', 'usage', 'storage', 'debt_paid', 'refund', 'refund_failed', 'dispute', 'dispute_won',
     'taken')) not valid;
