-- What viewers are told of uploads: title, artist, album and artwork, from the file or as its user says.

alter table uploads
  -- What the file itself says: {title, artist, album, artworkStream}, each where there is one. Null: not read.
  add column file_tags jsonb,
  -- What its user says instead, each where it was said; an empty text: nothing.
  add column given_titles jsonb not null default '{}',
  add column artwork_upload_id text references uploads on delete set null;
create index uploads_by_artwork on uploads (artwork_upload_id) where artwork_upload_id is not null;

-- What viewers are told of an upload, without what is empty.
create function upload_titles(file_tags jsonb, given_titles jsonb) returns jsonb
language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(key, value), '{}')
  from jsonb_each((coalesce(file_tags, '{}') - 'artworkStream') || given_titles) where value <> '""'
$$;

-- Words of titles are looked for as those of names are.
create or replace function set_upload_terms() returns trigger language plpgsql as $$
declare titles jsonb := upload_titles(new.file_tags, new.given_titles);
begin
  new.terms := upload_terms(
    new.user_id, concat_ws(' ', new.name, titles ->> 'title', titles ->> 'artist', titles ->> 'album'),
    new.folder, new.tags, new.type, new.probe_state);
  if new.finding_kinds <> '{}' then
    new.terms := new.terms || array_to_tsvector(array[findings_term(new.user_id)]);
  end if;
  return new;
end $$;
create or replace trigger upload_terms
  before insert or update of
    name, folder, tags, type, probe_state, finding_kinds, content_hash, file_tags, given_titles on uploads
  for each row execute function set_upload_terms();
