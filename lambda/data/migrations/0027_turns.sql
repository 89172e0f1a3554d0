-- Turns: a user's thousandth command comes after everybody else's first. Each command gets the turn after the last one
-- of its user that waits, and a user for whom none waits joins in at the turn that is being served.

alter table outbox
  -- Whose work it is; null: nobody's, and such a command counts as one of somebody of its own.
  add column user_id text,
  add column turn bigint not null default 0;

-- The user that a command is for. Every command names a row that has its user.
create function user_of_command(body jsonb) returns text language sql stable as $$
  select case
    when body ? 'uploadID' then (select user_id from uploads where id = body ->> 'uploadID')
    when body ? 'playlistID' then (select user_id from playlists where id = body ->> 'playlistID')
    when body ? 'streamID' then (select user_id from streams where id = body ->> 'streamID')
    when body ? 'webhookID' then (select user_id from webhooks where id = body ->> 'webhookID')
    when body ? 'notificationID' then (select user_id from notifications where id = (body ->> 'notificationID')::bigint)
    -- As uploadKey of domain/object-keys.ts makes it.
    when body ->> 'objectKey' like 'uploads/%' then split_part(body ->> 'objectKey', '/', 2)
  end $$;

create index outbox_by_turn on outbox (queue, turn, id) where dead_at is null;
create index outbox_relayed on outbox (turn, id) where dead_at is null;
create index outbox_by_user on outbox (queue, user_id, turn) where dead_at is null;

create function take_turn() returns trigger language plpgsql as $$
declare
  served bigint;
begin
  new.user_id := coalesce(new.user_id, user_of_command(new.body));
  -- What is being carried out has had its turn, and what is for later has not joined in yet.
  select turn into served from outbox
  where queue = new.queue and dead_at is null and receipt is null and visible_at <= now() order by turn, id limit 1;
  if served is null then
    select turn into served from outbox where queue = new.queue and dead_at is null order by turn, id limit 1;
  end if;
  new.turn := greatest(
    coalesce(served, 0),
    (select max(turn) + 1 from outbox where queue = new.queue and dead_at is null and user_id = new.user_id));
  return new;
end $$;
create trigger outbox_turn before insert on outbox for each row execute function take_turn();
