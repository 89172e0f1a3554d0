-- The order of a library: uploads are in folders, have tags, and are found by the words of their names.

-- People expect “Episode 2” before “Episode 10”, and “äpfel” beside “Apfel”.
create collation natural_order (provider = icu, locale = 'und-u-kn-true');

alter table uploads
  -- Names with / between them; empty: in no folder.
  add column folder text not null default '',
  add column tags text[] not null default '{}',
  add column terms tsvector;

-- The words of a text as they are looked for: small letters without accents, in whatever script.
create function words_of(given text) returns text[] language sql immutable parallel safe as $$
  select array_remove(regexp_split_to_array(
    regexp_replace(normalize(lower(given collate "und-x-icu"), NFKD), '[\u0300-\u036f]', '', 'g'),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+'), '')
$$;

create function tag_term(tag text) returns text language sql immutable parallel safe as $$
  select 't ' || lower(tag collate "und-x-icu")
$$;

-- What an upload is found by. Each term names the user, so that nobody's search reads what others have.
create function upload_terms(
  user_id text, name text, folder text, tags text[], type text, probe_state text
) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(array(
    select distinct user_id || ' ' || term from (
      select 'w ' || word from unnest(words_of(name)) as words (word)
      union all select tag_term(tag) from unnest(tags) as tagged (tag)
      union all select 'y ' || type
      union all select 's ' || probe_state
      union all select 'in ' || folder
      union all
      select 'below ' || array_to_string((string_to_array(folder, '/'))[1:depth], '/')
      from generate_series(1, cardinality(string_to_array(folder, '/'))) as depths (depth)
    ) as terms (term)))
$$;

-- Null where nothing is asked for. A text without a single word is found nowhere.
create function upload_query(
  user_id text, words text, tags text[], type text, probe_state text, in_folder text, below_folder text
) returns tsquery language sql immutable parallel safe as $$
  select string_agg(
    '''' || replace(replace(user_id || ' ' || term, '\', '\\'), '''', '''''') || '''' || suffix, ' & ')::tsquery
  from (
    select 'w ' || word, ':*'
    from unnest(case when words_of(words) = '{}' then array[' '] else words_of(words) end) as asked (word)
    union all select tag_term(tag), '' from unnest(tags) as tagged (tag)
    union all select 'y ' || type, ''
    union all select 's ' || probe_state, ''
    union all select 'in ' || in_folder, ''
    union all select 'below ' || below_folder, ''
  ) as terms (term, suffix)
  where term is not null
$$;

create function set_upload_terms() returns trigger language plpgsql as $$
begin
  new.terms := upload_terms(new.user_id, new.name, new.folder, new.tags, new.type, new.probe_state);
  return new;
end $$;
create trigger upload_terms before insert or update of name, folder, tags, type, probe_state on uploads
  for each row execute function set_upload_terms();

update uploads set name = name;

create index uploads_by_terms on uploads using gin (terms);
create index uploads_by_folder on uploads (user_id, folder, seq);
create index uploads_by_name on uploads (user_id, name collate natural_order, seq);
create index uploads_by_duration on uploads (user_id, coalesce(duration_seconds, -1), seq);
create index uploads_by_size on uploads (user_id, coalesce(size_bytes, declared_size_bytes, -1), seq);
