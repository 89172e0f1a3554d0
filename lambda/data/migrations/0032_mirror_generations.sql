-- What a generation of the mirror begins with.

-- A stream whose managed settings are gone has no connection that could work its mirror: its generation says so, or is
-- done where nothing is wished of a platform any more.
create or replace function supersede_mirror(of_stream text, for_cause text) returns void language plpgsql as $$
declare
  last integer;
  worker text;
  is_wished boolean;
begin
  update mirror_intents set state = 'superseded', updated_at = now()
  where stream_id = of_stream and state in ('pending', 'blocked');
  select max(generation) into last from mirror_intents where stream_id = of_stream;
  worker := connection_to_work(of_stream);
  select s.stream_destination = 'managed' and s.deleted_at is null and wish_of_state(s.state) <> 'none'
    into is_wished from streams s where id = of_stream;
  insert into mirror_intents (stream_id, generation, cause, state, code, detail) values (
    of_stream, coalesce(last, 0) + 1, for_cause,
    case when worker is not null then 'pending' when is_wished then 'blocked' else 'done' end,
    case when worker is null and is_wished then 'settings_missing' end,
    case when worker is null and is_wished then
      'The managed settings that the stream names are gone. Set managedSettingsID to others.' end);
  delete from mirror_intents where stream_id = of_stream and generation < last - 20;
  if worker is not null then
    insert into outbox (queue, body) values ('platforms', jsonb_build_object('connectionID', worker));
  end if;
end $$;

-- An agent has seen that the platform takes the media: what waits for that is looked at now.
create function mirror_live_stream() returns trigger language plpgsql as $$
begin
  if exists (select from mirror_intents where stream_id = new.id and state = 'pending') then
    perform supersede_mirror(new.id, 'media_accepted');
  end if;
  return null;
end $$;
create trigger streams_seen_live after update of state on streams for each row
  when (new.stream_destination = 'managed' and old.state <> 'active' and new.state = 'active')
  execute function mirror_live_stream();
