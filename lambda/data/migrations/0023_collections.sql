-- Collections: sets of a user's uploads that fill themselves, for programmes. Members are computed when they are read
-- (decision D220). `source` has exactly one form (lambda/domain/media/collections.ts).
create table collections (
  id text primary key,
  seq bigint not null generated always as identity,
  user_id text not null references users (id) on delete cascade,
  name text not null,
  kind text not null check (kind in ('video', 'audio')),
  source jsonb not null,
  member_order text not null check (member_order in ('sequential', 'shuffle', 'newest', 'oldest', 'series')),
  group_by text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index collections_by_user on collections (user_id, seq desc);

create trigger collections_added after insert on collections
referencing new table as added for each statement execute function count_added('collections');
create trigger collections_gone after delete on collections
referencing old table as gone for each statement execute function count_gone('collections');
create trigger collections_note_added after insert on collections
referencing new table as added for each statement execute function note_added('collection');
create trigger collections_note_changed after update on collections
for each row execute function note_changed('collection');
create trigger collections_note_gone after delete on collections
referencing old table as gone for each statement execute function note_gone('collection');

-- The uploads of a source that searches, of the types that its track can play, as a query of terms. Null: the source
-- does not search.
create function collection_query(user_id text, kind text, source jsonb) returns tsquery
language sql immutable parallel safe as $$
  select types && coalesce(wanted && any_tag, wanted, any_tag, types) && coalesce(!! no_tag, types)
  from (
    select
      upload_query(user_id, null, null, case kind when 'audio' then 'audio' else 'image' end, null, null, null)
        || upload_query(user_id, null, null, 'video', null, null, null) as types,
      upload_query(user_id, source ->> 'text', array(select jsonb_array_elements_text(source -> 'allTags')), null, null,
        case when (source ->> 'recursive')::boolean then null else source ->> 'folder' end,
        case when (source ->> 'recursive')::boolean then nullif(source ->> 'folder', '') end) as wanted,
      (select string_agg(upload_query(user_id, null, array[tag], null, null, null, null)::text, ' | ')::tsquery
       from jsonb_array_elements_text(source -> 'anyTags') as tagged (tag)) as any_tag,
      (select string_agg(upload_query(user_id, null, array[tag], null, null, null, null)::text, ' | ')::tsquery
       from jsonb_array_elements_text(source -> 'noTags') as tagged (tag)) as no_tag
  ) as parts
  where source ?| array['folder', 'allTags', 'anyTags', 'noTags', 'text']
$$;
