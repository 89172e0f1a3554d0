-- Files of captions beside uploads: each once, by its hash, as items that play name the one that they began with.
create table captions (
  hash text primary key,
  file text not null,
  noted_at timestamptz not null default now()
);

alter table uploads
  add column captions_hash text,
  add column caption_count int not null default 0,
  add column caption_bytes int not null default 0;

alter table uploads add constraint uploads_captions_hash_fkey foreign key (captions_hash) references captions (hash)
  not valid;
create index uploads_with_captions on uploads (captions_hash) where captions_hash is not null;
create index drawings_with_captions on drawings ((drawing #>> '{captions,hash}'))
  where drawing #>> '{captions,hash}' is not null;

create function count_captions() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform note_use(old.user_id, 'captionBytes', -old.caption_bytes);
  else
    perform note_use(new.user_id, 'captionBytes', new.caption_bytes - old.caption_bytes);
  end if;
  return null;
end $$;

create trigger uploads_captions_changed after update of caption_bytes on uploads
  for each row when (new.caption_bytes <> old.caption_bytes) execute function count_captions();
create trigger uploads_captions_deleted after delete on uploads
  for each row when (old.caption_bytes <> 0) execute function count_captions();
