-- What one user has waiting costs others less.

-- Whose each due time is: what is due is handed out in turns, and to ask the stream of each of 10,000 for its user
-- takes longer than firing five of them.

alter table due_times add column user_id text;

create function set_user_of_due_time() returns trigger language plpgsql as $$
begin
  new.user_id := (select user_id from streams where id = new.stream_id);
  return new;
end $$;
create trigger due_times_user before insert on due_times for each row execute function set_user_of_due_time();

update due_times d set user_id = s.user_id from streams s where s.id = d.stream_id;

-- Whether a silent webhook has anything due decides nothing. To find it out, the index was read past everything that
-- was put off with it: thousands of entries for each event of each of a user's webhooks.
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
        where webhook_id = webhooks.id and state = 'pending' and next_attempt_at <= now() limit 8) due_ones) end as due
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
