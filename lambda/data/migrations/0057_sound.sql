-- How loud streams are: what is wished, and from when on which item of a run is brought to it.

-- As SoundSettings of domain/sound.ts; null: as every stream is unless it says otherwise.
alter table streams add column sound jsonb;
-- How many items of the run are sent as they are, as they are not measured or prepared yet; null: nobody has looked.
alter table streams add column pending_sound integer;
create index streams_with_pending_sound on streams (id)
  where pending_sound is distinct from 0 and state in ('preparing', 'activating', 'active', 'failing');

create table timeline_levels (
  stream_id text not null references streams on delete cascade,
  item_id text not null,
  upload_id text not null,
  -- For the occurrences that begin at this time of the run or later.
  from_seconds double precision not null,
  -- As SoundLevel of domain/sound.ts; null: as it is.
  level jsonb,
  primary key (stream_id, item_id, upload_id, from_seconds)
);

-- A run begins without levels, whichever release begins it.
create function forget_levels() returns trigger language plpgsql as $$
begin
  delete from timeline_levels where stream_id = new.id;
  new.pending_sound := null;
  return new;
end $$;
create trigger streams_forget_levels before update of run_quality on streams
  for each row execute function forget_levels();
