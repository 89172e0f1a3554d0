-- What one user can do at worst: fewer commands for events, and no two transactions of one user that wait in a circle.

-- Whoever asks for room locks the rows of limit_use in the order of their names, so whoever counts does so too.
create or replace function count_uploads_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'incomingBytes', sum(incoming_bytes_of(u))::bigint),
    note_use(user_id, 'storedBytes', sum(stored_bytes_of(u))::bigint), note_use(user_id, 'uploads', count(*))
  from added u group by user_id order by user_id;
  return null;
end $$;
create or replace function count_uploads_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'incomingBytes', -sum(incoming_bytes_of(u))::bigint),
    note_use(user_id, 'storedBytes', -sum(stored_bytes_of(u))::bigint), note_use(user_id, 'uploads', -count(*))
  from gone u group by user_id order by user_id;
  return null;
end $$;
create or replace function count_upload_changed() returns trigger language plpgsql as $$
begin
  perform note_use(new.user_id, 'incomingBytes', incoming_bytes_of(new) - incoming_bytes_of(old));
  perform note_use(new.user_id, 'storedBytes', stored_bytes_of(new) - stored_bytes_of(old));
  return null;
end $$;
create or replace function count_playlists_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'playlistItems', sum(items_of(p))::bigint), note_use(user_id, 'playlists', count(*))
  from added p group by user_id order by user_id;
  return null;
end $$;
create or replace function count_playlists_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'playlistItems', -sum(items_of(p))::bigint), note_use(user_id, 'playlists', -count(*))
  from gone p group by user_id order by user_id;
  return null;
end $$;
create or replace function count_answers_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'keptAnswerBytes', sum(octet_length(body))), note_use(user_id, 'keptAnswers', count(*))
  from added group by user_id order by user_id;
  return null;
end $$;
create or replace function count_answers_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'keptAnswerBytes', -sum(octet_length(body))), note_use(user_id, 'keptAnswers', -count(*))
  from gone group by user_id order by user_id;
  return null;
end $$;

create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, seq) where state = 'pending';

-- A sender that has begun goes on until nothing is due. So where several deliveries are due already, each of which has
-- sent its command, one more command would wake nobody up.
create or replace function record_event(of_user text, of_type text, subject text, with_data json) returns void
language sql as $$
  with wanting as (
    select id, silent_until, (
      select count(*) from (
        select from webhook_deliveries
        where webhook_id = webhooks.id and state = 'pending' and next_attempt_at <= now() limit 8) due_ones) as due
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
$$;
