-- A webhook that does not answer is left alone as a whole, and not event by event: who hangs would else be called at once for everything that happens.

alter table webhooks
  -- Turns in a row in which no attempt was answered.
  add column silences integer not null default 0,
  -- Until then nothing is sent, for which there is a command; null while it answers.
  add column silent_until timestamptz;

create or replace function record_event(of_user text, of_type text, subject text, with_data json) returns void language sql as $$
  with wanting as (
    select id, silent_until from webhooks where user_id = of_user and enabled and of_type = any (events) for key share skip locked),
  recorded as (
    insert into events (user_id, type, subject_id, data) select of_user, of_type, subject, with_data where exists (select from wanting) returning id),
  waiting as (
    insert into webhook_deliveries (event_id, webhook_id, next_attempt_at)
    select recorded.id, wanting.id, greatest(now(), silent_until) from recorded cross join wanting returning webhook_id, next_attempt_at)
  insert into outbox (queue, body) select 'webhooks', jsonb_build_object('webhookID', webhook_id) from waiting where next_attempt_at <= now();
$$;
