-- What operators do: their commands, which nothing deletes, content that is kept out, and credits that are taken back.

-- Every command is written before anything is done, and how it ended in the transaction that did it. So a command
-- without an outcome did nothing.
create table operator_commands (
  -- Chosen by the tool: the same command is carried out once.
  id text primary key,
  seq bigint generated always as identity unique,
  at timestamptz not null default clock_timestamp(),
  -- Who asked: in AWS the ARN that AWS itself named, else the user of the machine.
  operator text not null,
  -- By which right: the ARN of the session of the operators' role, or where the local run is.
  via text not null,
  words text[] not null,
  options jsonb not null,
  reason text,
  dry_run boolean not null
);
create table operator_outcomes (
  command_id text primary key references operator_commands,
  at timestamptz not null default clock_timestamp(),
  outcome text not null check (outcome in ('done', 'dry_run', 'refused', 'failed')),
  says text not null,
  -- The users, contents and streams that it was about.
  subjects text[] not null default '{}'
);
create index operator_outcomes_by_subject on operator_outcomes using gin (subjects);

create function refuse_forgetting() returns trigger language plpgsql as $$
begin
  raise exception 'what operators did is only added to';
end $$;
create trigger operator_commands_kept before update or delete or truncate on operator_commands
  for each statement execute function refuse_forgetting();
create trigger operator_outcomes_kept before update or delete or truncate on operator_outcomes
  for each statement execute function refuse_forgetting();

-- Content that is kept out: uploads of these bytes fail, and nothing is prepared from them.
create table blocked_contents (
  -- SHA-256 of the bytes in hex, with which uploads.content_hash begins.
  bytes_hash text primary key,
  reason text not null,
  blocked_at timestamptz not null default now()
);

alter table ledger_transactions
  drop constraint ledger_transactions_cause_check,
  add constraint ledger_transactions_cause_check check (cause in
    ('purchase', 'grant', 'usage', 'debt_paid', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'taken'));
