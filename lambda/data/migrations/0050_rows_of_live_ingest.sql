-- Rows that the role of the live ingest may write: a stranger in its process sends no command but notices, and
-- records no event but those of takeovers. As conditions of triggers, they cost others one comparison a row.

create function refuse_role() returns trigger language plpgsql
as $$
begin
  raise insufficient_privilege using message = format('%s may not write this row into %s', current_user, tg_table_name);
end $$;

create trigger outbox_of_live_ingest before insert on outbox for each row
  when (current_user = 'live_ingest' and new.queue <> 'webhooks') execute function refuse_role();

create trigger events_of_live_ingest before insert on events for each row
  when (current_user = 'live_ingest'
    and new.type <> all (array['live_input.changed', 'takeover.began', 'takeover.ended']))
  execute function refuse_role();

-- A takeover is of an input of its stream, and an event is delivered to its user only.
create function keep_to_owner() returns trigger language plpgsql
as $$
declare
  is_kept boolean;
begin
  if tg_table_name = 'takeovers' then
    select exists (select from live_inputs where id = new.live_input_id and stream_id = new.stream_id) into is_kept;
  else
    select exists (
      select from events e join webhooks w on w.user_id = e.user_id
      where e.id = new.event_id and w.id = new.webhook_id) into is_kept;
  end if;
  if not is_kept then
    raise insufficient_privilege using message = format('the row in %s is not of its owner', tg_table_name);
  end if;
  return new;
end $$;

create trigger takeovers_of_live_ingest before insert on takeovers for each row
  when (current_user = 'live_ingest') execute function keep_to_owner();
create trigger deliveries_of_live_ingest before insert on webhook_deliveries for each row
  when (current_user = 'live_ingest') execute function keep_to_owner();
