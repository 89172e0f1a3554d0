-- Accounts at rest: those that were disabled or put on hold. Nothing of them is on air, and what is due waits.

alter table users
  -- On hold: the user may sign in and read, and is told why.
  add column held_at timestamptz,
  add column held_reason text,
  add column is_at_rest boolean generated always as (disabled_at is not null or held_at is not null) virtual;
create index users_by_held on users (held_at) where held_at is not null;

-- A start that came due while its user was at rest: it waits, with the time that it had, until the user is woken.
alter table due_times add column resting boolean not null default false;
create index due_times_awake on due_times (due_at) where not resting;
create index due_times_resting on due_times (stream_id) where resting;

-- Whoever disables, holds or wakes a user does it with one update, by hand if need be. The account becomes due, by
-- which its streams stop or its schedules wake. Only the account is locked here: streams are locked before users.
create function change_rest() returns trigger language plpgsql as $$
begin
  insert into billing_accounts (user_id, due_at) values (new.id, now())
  on conflict (user_id) do update set due_at = now();
  if new.disabled_at is null and new.held_at is null then
    with woken as (
      update webhook_deliveries set asked_at = now()
      where state = 'pending' and webhook_id in (select id from webhooks where user_id = new.id and enabled)
      returning webhook_id)
    insert into outbox (queue, body)
    select distinct 'webhooks', jsonb_build_object('webhookID', webhook_id) from woken;
    insert into outbox (queue, body)
    select 'imports', jsonb_build_object('uploadID', upload_id) from imports
    where user_id = new.id and state in ('pending', 'downloading') and lease_expires_at is null;
  end if;
  return null;
end $$;
create trigger users_rest after update of disabled_at, held_at on users for each row
  when ((old.disabled_at is null and old.held_at is null) <> (new.disabled_at is null and new.held_at is null))
  execute function change_rest();
