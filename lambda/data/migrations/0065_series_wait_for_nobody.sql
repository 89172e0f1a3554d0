-- Whoever writes points of a stream does not wait for whoever has locked its row: a reference would make them. What is
-- written while the stream is being deleted goes with its age.

alter table stream_series drop constraint stream_series_stream_id_fkey;

create function drop_series() returns trigger language plpgsql as $$
begin
  delete from stream_series where stream_id in (select id from gone);
  return null;
end $$;
create trigger streams_drop_series after delete on streams referencing old table as gone
  for each statement execute function drop_series();
