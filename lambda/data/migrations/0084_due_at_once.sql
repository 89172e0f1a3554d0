-- What becomes due now is due at once. Due times of accounts have milliseconds, to which Postgres rounds: what was
-- rounded up was not due for up to half a millisecond.

create or replace function change_rest() returns trigger language plpgsql as $$
begin
  insert into billing_accounts (user_id, due_at) values (new.id, date_trunc('milliseconds', now()))
  on conflict (user_id) do update set due_at = excluded.due_at;
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

create or replace function ask_for_free_credits() returns trigger language plpgsql as $$
declare
  since timestamptz := date_trunc('milliseconds', now());
begin
  insert into billing_accounts (user_id, due_at, free_credits_due_at) values (new.id, since, since)
  on conflict (user_id) do update set due_at = since, free_credits_due_at = since;
  return null;
end $$;
