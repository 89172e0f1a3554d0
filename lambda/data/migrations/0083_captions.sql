-- Files of captions beside uploads: each once, by its hash, as what is drawn names the one that it was made with.
create table captions (
  hash text primary key,
  file text not null,
  noted_at timestamptz not null default now()
);

-- The file of an upload: its hash, how many captions are in it, and its bytes.
alter table uploads add column captions jsonb;
create index uploads_with_captions on uploads ((captions ->> 'hash')) where captions is not null;
create index drawings_with_captions on drawings ((drawing #>> '{captions,hash}'))
  where drawing #>> '{captions,hash}' is not null;

create function count_captions() returns trigger language plpgsql as $$
declare
  before bigint := coalesce((old.captions ->> 'bytes')::bigint, 0);
begin
  if tg_op = 'DELETE' then
    perform note_use(old.user_id, 'captionBytes', -before);
  else
    perform note_use(new.user_id, 'captionBytes', coalesce((new.captions ->> 'bytes')::bigint, 0) - before);
  end if;
  return null;
end $$;

create trigger uploads_captions_changed after update of captions on uploads
  for each row when (new.captions is distinct from old.captions) execute function count_captions();
create trigger uploads_captions_deleted after delete on uploads
  for each row when (old.captions is not null) execute function count_captions();
