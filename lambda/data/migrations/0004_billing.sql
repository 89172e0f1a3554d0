-- Credits: invoices, an append-only ledger, live time, storage, and payments.

-- All credits come from invoices.
create table invoices (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  type text not null check (type in ('credit_purchase', 'free_credits', 'adjustment')),
  method text not null check (method in ('card', 'crypto', 'grant')),
  state text not null check (state in ('pending', 'paid', 'cancelled', 'expired', 'refunded')),
  cost numeric(14, 4) not null check (cost >= 0),
  currency text not null,
  credits numeric(14, 4) not null,
  remaining_credits numeric(14, 4) not null,
  receipt_url text,
  created_at timestamptz not null default now(),
  paid_at timestamptz,
  -- The payment provider's reference of the payment, which refunds and disputes name.
  payment_reference text unique,
  -- Debts are one negative adjustment per user, until the next purchase pays for them.
  constraint only_debts_are_negative check (remaining_credits >= 0 or type = 'adjustment'),
  constraint only_paid_invoices_have_credits check (remaining_credits = 0 or state = 'paid')
);
create index invoices_by_user on invoices (user_id, seq desc);
create index invoices_with_credits on invoices (user_id, paid_at, seq) where remaining_credits <> 0;

create function count_top_ups() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.state = 'pending' then perform note_use(old.user_id, 'pendingTopUps', -1); end if;
  if tg_op <> 'DELETE' and new.state = 'pending' then perform note_use(new.user_id, 'pendingTopUps', 1); end if;
  return null;
end $$;
create trigger invoices_counted after insert or delete on invoices for each row execute function count_top_ups();
create trigger invoices_moved after update of state on invoices
  for each row when (old.state <> new.state) execute function count_top_ups();

-- For clients, the invoices and the time until which the credits last are one resource.
create function note_billing() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  values (new.user_id, pg_current_xact_id(), 'billing', new.user_id, false) on conflict do nothing;
  return null;
end $$;
create trigger invoices_note_changed after insert or update on invoices for each row execute function note_billing();

-- Double entry: each transaction has a cause, exists once for it, and its entries sum to zero.
create table ledger_transactions (
  id bigint generated always as identity primary key,
  user_id text not null references users,
  cause text not null check (cause in
    ('purchase', 'grant', 'usage', 'storage', 'debt_paid', 'refund', 'refund_failed', 'dispute', 'dispute_won',
      'taken')),
  -- The id of an invoice, a live interval, a refund or a dispute.
  reference text not null,
  at timestamptz not null,
  unique (cause, reference)
);
create index ledger_transactions_by_user on ledger_transactions (user_id, id);

-- The account `credits` has the credits of users, by invoice. Credits come from the other accounts and go to them.
create table ledger_entries (
  transaction_id bigint not null references ledger_transactions,
  account text not null check (account in ('credits', 'sales', 'grants', 'usage')),
  invoice_id text references invoices,
  amount numeric(14, 4) not null check (amount <> 0),
  check ((account = 'credits') = (invoice_id is not null))
);
create index ledger_entries_by_transaction on ledger_entries (transaction_id);
create index ledger_entries_by_invoice on ledger_entries (invoice_id) where invoice_id is not null;

-- One statement inserts all entries of a transaction.
create function check_balanced() returns trigger language plpgsql as $$
begin
  if exists (select from added group by transaction_id having sum(amount) <> 0) then
    raise exception 'the entries of a ledger transaction do not sum up to zero';
  end if;
  return null;
end $$;
create trigger ledger_entries_balanced after insert on ledger_entries
  referencing new table as added for each statement execute function check_balanced();

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is only added to';
end $$;
create trigger ledger_transactions_kept before update or delete on ledger_transactions
  for each row execute function refuse_change();
create trigger ledger_entries_kept before update or delete on ledger_entries
  for each row execute function refuse_change();

-- One row for each user who ever spent credits. A transaction that changes their credits locks it.
create table billing_accounts (
  user_id text primary key references users,
  -- The time at which the credits run out, unless streams start or stop, or credits are bought.
  credits_exhausted_at timestamptz(3),
  -- The last warning about this shortage.
  warned text check (warned in ('day', 'hour', 'exhausted')),
  -- The time of the next decision: to warn, to stop the streams, or about free credits.
  due_at timestamptz(3),
  -- Set in the transaction that verifies the e-mail address; null after the decision.
  free_credits_due_at timestamptz(3)
);
create index billing_accounts_due on billing_accounts (due_at) where due_at is not null;
create trigger billing_accounts_note_changed after update of credits_exhausted_at on billing_accounts
  for each row when (old.credits_exhausted_at is distinct from new.credits_exhausted_at)
  execute function note_billing();

-- Stopped streams use no credits: so a user without credits gets no more warnings that they run out.
create function signal_credits_left() returns trigger language plpgsql as $$
begin
  if exists (select from incidents where user_id = new.user_id and kind = 'credits_low' and ended_at is null)
    and exists (select from invoices where user_id = new.user_id and remaining_credits > 0) then
    perform note_signal(new.user_id, 'credits_low', new.user_id, null, null, 'well', '{}');
  end if;
  return null;
end $$;
create trigger billing_accounts_signalled after update of warned on billing_accounts
  for each row when (new.warned is null) execute function signal_credits_left();

-- E-mail addresses whose first account got free credits. A row outlives the account.
create table free_credit_grants (
  email_sha256 bytea primary key,
  user_id text not null,
  granted_at timestamptz not null default now()
);
create index free_credit_grants_by_user on free_credit_grants (user_id);

-- The account becomes due now, truncated to milliseconds as in change_rest.
create function ask_for_free_credits() returns trigger language plpgsql as $$
declare
  since timestamptz := date_trunc('milliseconds', now());
begin
  insert into billing_accounts (user_id, due_at, free_credits_due_at) values (new.id, since, since)
  on conflict (user_id) do update set due_at = since, free_credits_due_at = since;
  return null;
end $$;
create trigger users_verified after insert or update of email_verified on users
  for each row when (new.email_verified) execute function ask_for_free_credits();

-- Time in which a destination accepted media from one replica, at the price of its start. A row outlives its stream.
create table live_intervals (
  id bigint generated always as identity primary key,
  user_id text not null references users,
  stream_id text not null,
  replica_id text not null,
  role text not null check (role in ('primary', 'backup')),
  -- The agent that counts the bytes. Its lease is the evidence that the interval continues.
  agent_id text not null,
  epoch integer not null,
  price_version text not null,
  credits_per_hour numeric(10, 4) not null check (credits_per_hour >= 0),
  started_at timestamptz(3) not null,
  ended_at timestamptz(3) check (ended_at >= started_at),
  -- The replica's byte counter at the start and at the end of the interval.
  bytes_before bigint not null default 0,
  bytes_after bigint check (bytes_after >= bytes_before),
  -- An output has a lower price unless it is the most expensive live output of its stream.
  is_further boolean not null default false
);
create unique index live_intervals_open on live_intervals (replica_id) where ended_at is null;
create index live_intervals_open_by_stream on live_intervals (stream_id) where ended_at is null;
create index live_intervals_open_by_user on live_intervals (user_id) where ended_at is null;
create index live_intervals_by_user on live_intervals (user_id, started_at);
create index live_intervals_by_replica on live_intervals (replica_id, ended_at);

-- The only function that converts time to credits, rounded to their 4 decimals.
create function live_cost(credits_per_hour numeric, started_at timestamptz, until timestamptz) returns numeric
language sql immutable parallel safe
return round(credits_per_hour * greatest(0, extract(epoch from until - started_at)) / 3600, 4);

-- Storage: bytes that users stored, by hour, and the price of each day.

-- Stored bytes at the end of each hour in which they changed. Kept until the days that need them are charged.
create table stored_levels (
  user_id text not null references users on delete cascade,
  hour timestamptz not null,
  bytes bigint not null,
  primary key (user_id, hour)
);

-- Users who were notified that they begin to pay for storage.
create table storage_accounts (
  user_id text primary key references users on delete cascade,
  told_at timestamptz not null,
  -- The last day, in UTC, that is charged or free.
  charged_to date not null
);
create index storage_accounts_by_day on storage_accounts (charged_to);
create index limit_use_of_storage on limit_use (used) where limit_name = 'storedBytes';

create table storage_charges (
  user_id text not null references users,
  day date not null,
  -- The sum of the bytes above the allowance, over the hours of the day.
  byte_hours numeric not null check (byte_hours > 0),
  credits_per_gib_month numeric(10, 4) not null check (credits_per_gib_month >= 0),
  -- The charge, which is less than the cost if the user has had no credits for long.
  credits numeric(14, 4) not null check (credits >= 0),
  primary key (user_id, day)
);

-- The only function that converts stored bytes to credits, rounded to their 4 decimals. A month has 720 hours.
create function storage_cost(credits_per_gib_month numeric, byte_hours numeric) returns numeric
language sql immutable parallel safe
return round(credits_per_gib_month * byte_hours / (1073741824::numeric * 720), 4);

-- The transaction that changes limit_use holds the lock of its row, so the clock orders the levels.
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

-- Reports of payment providers, as received. They are kept after they have been applied.
create table payment_events (
  seq bigint generated always as identity unique,
  provider text not null,
  id text not null,
  body text not null,
  received_at timestamptz not null default now(),
  -- The report as parsed by its adapter.
  meaning jsonb not null,
  applied_at timestamptz,
  -- The reason why it could not be applied yet.
  failure text,
  primary key (provider, id)
);
create index payment_events_unapplied on payment_events (seq) where applied_at is null;

-- Refunds and disputes: credits that were taken back, temporarily or finally.
create table payment_reversals (
  id text primary key,
  invoice_id text not null references invoices,
  kind text not null check (kind in ('refund', 'dispute')),
  credits numeric(14, 4) not null check (credits >= 0),
  taken boolean not null,
  final boolean not null,
  updated_at timestamptz not null,
  -- The reported amount. If another reversal took the rest of the invoice and ends, this one still has to take its
  -- amount.
  amount_cents numeric(14, 4) not null check (amount_cents >= 0)
);
create index payment_reversals_by_invoice on payment_reversals (invoice_id);

-- The processor's list when it was last fetched. A currency that is no longer listed stays, because addresses name it.
create table crypto_currencies (
  id text primary key,
  currency jsonb not null,
  listed boolean not null,
  fetched_at timestamptz not null
);

-- One address for each user and currency, kept for ever. Null until the processor has answered.
create table crypto_addresses (
  id text primary key,
  user_id text not null references users,
  currency_id text not null,
  network text not null,
  address text,
  memo text,
  created_at timestamptz not null default now(),
  unique (user_id, currency_id)
);

create table crypto_deposits (
  id text primary key,
  address_id text not null references crypto_addresses,
  state text not null check (state in ('confirming', 'confirmed', 'failed')),
  -- Amount in units of the currency, and its value at that time.
  amount numeric not null,
  value_usd numeric(14, 4) not null check (value_usd >= 0),
  -- Null while the deposit is too small for an invoice of its own.
  invoice_id text references invoices,
  updated_at timestamptz not null
);
create index crypto_deposits_by_address on crypto_deposits (address_id);

create function note_deposit() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), 'billing', user_id, false from crypto_addresses where id = new.address_id
  on conflict do nothing;
  return null;
end $$;
create trigger crypto_deposits_note_changed after insert or update of state on crypto_deposits
  for each row execute function note_deposit();
