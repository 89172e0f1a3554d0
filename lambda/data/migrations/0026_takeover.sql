-- Losses of many streams at once: what each of them costs, and who is claimed first.

-- Most users have no webhook that wants to hear of an event. That is found out before anything else is done.
create or replace function record_event(of_user text, of_type text, subject text, with_data json) returns void
language plpgsql as $$
begin
  if not exists (select from webhooks where user_id = of_user and enabled and of_type = any (events)) then
    return;
  end if;
  with wanting as (
    select id, silent_until from webhooks
    where user_id = of_user and enabled and of_type = any (events) for key share skip locked),
  recorded as (
    insert into events (user_id, type, subject_id, data)
    select of_user, of_type, subject, with_data where exists (select from wanting) returning id),
  waiting as (
    insert into webhook_deliveries (event_id, webhook_id, next_attempt_at)
    select recorded.id, wanting.id, greatest(now(), silent_until) from recorded cross join wanting
    returning webhook_id, next_attempt_at)
  insert into outbox (queue, body)
  select 'webhooks', jsonb_build_object('webhookID', webhook_id) from waiting where next_attempt_at <= now();
end $$;

-- Claims take the oldest first, of any backend, and of starts and of losses in turn.
create index replicas_waiting on replicas (requested_at) where agent_id is null and wanted = 'live';
create index replicas_to_begin on replicas (requested_at) where agent_id is null and wanted = 'live' and epoch = 0;
drop index replicas_to_claim;

-- Their rows change with each move, claim and report. Where the page has room, no index has to be changed with them.
alter table streams set (fillfactor = 70);
alter table replicas set (fillfactor = 70);
