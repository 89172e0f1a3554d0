-- Credits: a ledger that is only added to, intervals of time live, what falls due to accounts, and what was paid how.

alter table invoices
  add column paid_at timestamptz,
  -- The payment provider's name for the payment, by which refunds and disputes refer to it.
  add column payment_reference text unique,
  drop constraint invoices_remaining_credits_check,
  -- What was used beyond all purchases stands in one adjustment per user, below zero, until the next purchase pays for it.
  add constraint only_debts_are_negative check (remaining_credits >= 0 or type = 'adjustment'),
  add constraint only_paid_invoices_have_credits check (remaining_credits = 0 or state = 'paid');
update invoices set paid_at = created_at where state = 'paid';
create index invoices_with_credits on invoices (user_id, paid_at, seq) where remaining_credits <> 0;

-- Double entry: each transaction has a cause, happens once for it, and its entries sum up to nothing.
create table ledger_transactions (
  id bigint generated always as identity primary key,
  user_id text not null references users,
  cause text not null check (cause in
    ('purchase', 'grant', 'usage', 'debt_paid', 'refund', 'refund_failed', 'dispute', 'dispute_won')),
  -- What it is about: an invoice, a live interval, a refund or a dispute.
  reference text not null,
  at timestamptz not null,
  unique (cause, reference)
);
create index ledger_transactions_by_user on ledger_transactions (user_id, id);

-- `credits` is what users hold, invoice by invoice; the other accounts are where credits come from and go to.
create table ledger_entries (
  transaction_id bigint not null references ledger_transactions,
  account text not null check (account in ('credits', 'sales', 'grants', 'usage')),
  invoice_id text references invoices,
  amount numeric(14, 4) not null check (amount <> 0),
  check ((account = 'credits') = (invoice_id is not null))
);
create index ledger_entries_by_transaction on ledger_entries (transaction_id);
create index ledger_entries_by_invoice on ledger_entries (invoice_id) where invoice_id is not null;

-- All entries of a transaction come in one statement.
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
create trigger ledger_transactions_kept before update or delete on ledger_transactions for each row execute function refuse_change();
create trigger ledger_entries_kept before update or delete on ledger_entries for each row execute function refuse_change();

-- Credits that came in before there was a ledger; nothing of them was used yet.
with booked as (
  insert into ledger_transactions (user_id, cause, reference, at)
  select user_id, case type when 'credit_purchase' then 'purchase' else 'grant' end, id, created_at
  from invoices where state = 'paid' and credits > 0 returning id, cause, reference)
insert into ledger_entries (transaction_id, account, invoice_id, amount)
select booked.id, side.account, side.invoice_id, side.amount from booked join invoices i on i.id = booked.reference
cross join lateral (values
  ('credits', i.id, i.credits),
  (case booked.cause when 'purchase' then 'sales' else 'grants' end, null, -i.credits)) as side (account, invoice_id, amount);

-- Time in which the destination accepted media from one replica. It keeps the price that it began with. Outlives its stream.
create table live_intervals (
  id bigint generated always as identity primary key,
  user_id text not null references users,
  stream_id text not null,
  replica_id text not null,
  role text not null check (role in ('primary', 'backup')),
  -- Whose counter of bytes counts, and whose life is the evidence.
  agent_id text not null,
  epoch integer not null,
  price_version text not null,
  credits_per_hour numeric(10, 4) not null check (credits_per_hour >= 0),
  started_at timestamptz(3) not null,
  ended_at timestamptz(3) check (ended_at >= started_at),
  -- What the replica's counter stood at when the interval began, and when it ended.
  bytes_before bigint not null default 0,
  bytes_after bigint check (bytes_after >= bytes_before)
);
create unique index live_intervals_open on live_intervals (replica_id) where ended_at is null;
create index live_intervals_open_by_stream on live_intervals (stream_id) where ended_at is null;
create index live_intervals_open_by_user on live_intervals (user_id) where ended_at is null;
create index live_intervals_by_user on live_intervals (user_id, started_at);
create index live_intervals_by_replica on live_intervals (replica_id, ended_at);

-- The one place where time becomes credits, rounded to their 4 decimals.
create function live_cost(credits_per_hour numeric, started_at timestamptz, until timestamptz) returns numeric
language sql immutable parallel safe
return round(credits_per_hour * greatest(0, extract(epoch from until - started_at)) / 3600, 4);

-- When an agent last gave evidence that it runs: where it dies, the intervals of its replicas end then.
alter table agents add column renewed_at timestamptz not null default now();

-- The backup replica's figures; the primary's are the stream's.
alter table streams add column backup_stats jsonb;

-- One row per user who ever spent credits: locked by whatever changes their credits.
create table billing_accounts (
  user_id text primary key references users,
  -- When the credits are gone, if nothing starts, stops or is bought until then.
  credits_exhausted_at timestamptz(3),
  -- The last warning of this shortage.
  warned text check (warned in ('day', 'hour', 'exhausted')),
  -- When somebody has to look again: to warn, to stop the streams, or to decide about free credits.
  due_at timestamptz(3),
  -- Set with the verification of the e-mail address, in its transaction; null once it is decided.
  free_credits_due_at timestamptz(3)
);
create index billing_accounts_due on billing_accounts (due_at) where due_at is not null;

create function ask_for_free_credits() returns trigger language plpgsql as $$
begin
  insert into billing_accounts (user_id, due_at, free_credits_due_at) values (new.id, now(), now())
  on conflict (user_id) do update set due_at = now(), free_credits_due_at = now();
  return null;
end $$;
create trigger users_verified after insert or update of email_verified on users
  for each row when (new.email_verified) execute function ask_for_free_credits();

-- What a user has to be told, with its cause, to be sent by mail or webhook.
create table notifications (
  id bigint generated always as identity primary key,
  user_id text not null references users on delete cascade,
  kind text not null,
  -- What it is about: the same thing is told once.
  reference text not null,
  detail jsonb not null,
  due_at timestamptz not null,
  sent_at timestamptz,
  unique (user_id, kind, reference)
);
create index notifications_unsent on notifications (due_at) where sent_at is null;

-- The first account of an e-mail address gets free credits; this remembers it when the account is gone.
create table free_credit_grants (
  email_sha256 bytea primary key,
  user_id text not null,
  granted_at timestamptz not null default now()
);
create index free_credit_grants_by_user on free_credit_grants (user_id);

-- What payment providers reported, as received, until it is applied and ever after.
create table payment_events (
  seq bigint generated always as identity unique,
  provider text not null,
  id text not null,
  body text not null,
  received_at timestamptz not null default now(),
  -- What it means to us, as its adapter reads it.
  meaning jsonb not null,
  applied_at timestamptz,
  -- Why it could not be applied yet.
  failure text,
  primary key (provider, id)
);
create index payment_events_unapplied on payment_events (seq) where applied_at is null;

-- Refunds and disputes: credits that were taken back, for now or for good.
create table payment_reversals (
  id text primary key,
  invoice_id text not null references invoices,
  kind text not null check (kind in ('refund', 'dispute')),
  credits numeric(14, 4) not null check (credits >= 0),
  taken boolean not null,
  final boolean not null,
  updated_at timestamptz not null
);
create index payment_reversals_by_invoice on payment_reversals (invoice_id);

-- The processor's list as it was last fetched. What is listed no more stays, for the addresses that name it.
create table crypto_currencies (
  id text primary key,
  currency jsonb not null,
  listed boolean not null,
  fetched_at timestamptz not null
);

-- One per user and currency, kept for ever. The address is null until the processor has answered.
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
  -- In units of the currency, and what that was worth.
  amount numeric not null,
  value_usd numeric(14, 4) not null check (value_usd >= 0),
  -- Null while it is too little to be booked by itself.
  invoice_id text references invoices,
  updated_at timestamptz not null
);
create index crypto_deposits_by_address on crypto_deposits (address_id);
