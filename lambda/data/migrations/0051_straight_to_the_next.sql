-- What is next is read from its index, however much of another user's stands beside it.

-- Postgres took this index, of the turns of all queues, to find what is next in one queue: it read past the 10,000
-- commands of another queue for each command that was sent. No statement that asks for one queue can use it now.
create index outbox_in_all_queues on outbox ((turn + 0), id) where dead_at is null;
drop index outbox_relayed;

-- The deliveries that are due are counted in the order of their index. Without an order Postgres read the table from
-- its beginning until it had met eight: 50 ms for each event of a user whose webhooks do not answer.
create or replace function record_event(of_user text, of_type text, subject text, with_data json) returns void
language plpgsql as $$
begin
  if not exists (select from webhooks where user_id = of_user and enabled and of_type = any (events)) then
    return;
  end if;
  -- A sender that has begun goes on until nothing is due. So where several deliveries are due already, each of which
  -- has sent its command, one more command would wake nobody up.
  with wanting as (
    select id, silent_until, case when silent_until > now() then 0 else (
      select count(*) from (
        select from webhook_deliveries
        where webhook_id = webhooks.id and state = 'pending' and next_attempt_at <= now()
        order by next_attempt_at limit 8) due_ones) end as due
    from webhooks where user_id = of_user and enabled and of_type = any (events) for key share skip locked),
  recorded as (
    insert into events (user_id, type, subject_id, data)
    select of_user, of_type, subject, with_data where exists (select from wanting) returning id),
  waiting as (
    insert into webhook_deliveries (event_id, webhook_id, next_attempt_at)
    select recorded.id, wanting.id, greatest(now(), silent_until) from recorded cross join wanting
    returning webhook_id, next_attempt_at)
  insert into outbox (queue, body) select 'webhooks', jsonb_build_object('webhookID', webhook_id)
  from waiting join wanting on wanting.id = webhook_id where next_attempt_at <= now() and due < 8;
end $$;
