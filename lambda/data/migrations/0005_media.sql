-- Uploads with their search and limits, inspections of contents, and renditions prepared from them.

-- Sorts “Episode 2” before “Episode 10”, and “äpfel” beside “Apfel”.
create collation natural_order (provider = icu, locale = 'und-u-kn-true');

create table uploads (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  name text not null,
  mime_type text not null,
  type text not null check (type in ('video', 'audio', 'image')),
  object_key text not null unique,
  declared_size_bytes bigint,
  size_bytes bigint,
  uploaded boolean not null default false,
  probe_state text not null default 'pending' check (probe_state in ('pending', 'completed', 'failed')),
  failure jsonb,
  duration_seconds double precision,
  width integer,
  height integer,
  framerate double precision,
  video_codec text,
  audio_codec text,
  created_at timestamptz not null default now(),
  -- The name of the content: SHA-256 of the bytes in hex, and further facts; null until the bytes have been read for
  -- it.
  content_hash text,
  -- The dynamic range of the pictures (domain/shared/video-format.ts). High dynamic range is converted to the range of
  -- streams.
  dynamic_range text not null default 'sdr' check (dynamic_range in ('sdr', 'pq', 'hlg')),
  -- Bytes that may still arrive.
  expected_bytes bigint not null default 0,
  -- Result of decodeCost in domain/media/source-limits.ts; null until the upload is examined.
  decode_cost double precision,
  -- Folder names, joined with /; empty: no folder.
  folder text not null default '',
  tags text[] not null default '{}',
  terms tsvector,
  -- A copy from the inspection of the content, for lists and for the readiness of streams.
  finding_kinds text[] not null default '{}',
  -- {title, artist, album, artworkStream} from the file itself; unknown fields are absent. Null: not read.
  file_tags jsonb,
  -- Titles that the user set instead of those of the file; an empty text removes a title.
  given_titles jsonb not null default '{}',
  artwork_upload_id text references uploads on delete set null,
  -- The caption file: its hash, the number of captions, and its bytes. Null: none.
  captions jsonb
);
create index uploads_by_user on uploads (user_id, seq desc);
-- Few uploads are unfinished. The sweep reads the old ones every minute.
create index uploads_unfinished on uploads (created_at) where not uploaded;
create index uploads_by_content on uploads (content_hash) where content_hash is not null;
-- Operators search by the hash of bytes, which is the beginning of a content hash.
create index uploads_by_bytes on uploads (split_part(content_hash, '-', 1)) where content_hash is not null;
create index uploads_by_terms on uploads using gin (terms);
create index uploads_by_folder on uploads (user_id, folder, seq);
-- The folders in a folder are read one after the other, in the byte order of their paths.
create index uploads_by_path on uploads (user_id, ((folder || '/') collate "C")) where folder <> '';
create index uploads_by_name on uploads (user_id, name collate natural_order, seq);
create index uploads_by_duration on uploads (user_id, coalesce(duration_seconds, -1), seq);
create index uploads_by_size on uploads (user_id, coalesce(size_bytes, declared_size_bytes, -1), seq);
create index uploads_by_artwork on uploads (artwork_upload_id) where artwork_upload_id is not null;
create index uploads_with_captions on uploads ((captions ->> 'hash')) where captions is not null;
create trigger uploads_note_added after insert on uploads referencing new table as added
  for each statement execute function note_added('upload');
create trigger uploads_note_gone after delete on uploads referencing old table as gone
  for each statement execute function note_gone('upload');
create trigger uploads_note_changed after update on uploads
  for each row when (old.* is distinct from new.*) execute function note_changed('upload');

-- The titles of an upload that viewers see, without empty ones.
create function upload_titles(file_tags jsonb, given_titles jsonb) returns jsonb
language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(key, value), '{}')
  from jsonb_each((coalesce(file_tags, '{}') - 'artworkStream') || given_titles) where value <> '""'
$$;

-- The words of a text in the form for searches: small letters without accents, in every script.
create function words_of(given text) returns text[] language sql immutable parallel safe as $$
  select array_remove(regexp_split_to_array(
    regexp_replace(normalize(lower(given collate "und-x-icu"), NFKD), '[\u0300-\u036f]', '', 'g'),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f]+'), '')
$$;

create function tag_term(tag text) returns text language sql immutable parallel safe as $$
  select 't ' || lower(tag collate "und-x-icu")
$$;

-- The search term for uploads with findings; other uploads lack it.
create function findings_term(user_id text) returns text language sql immutable parallel safe as $$
  select user_id || ' f'
$$;

-- The search terms of an upload. Each begins with the user, so that a search reads no uploads of other users.
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

-- Null without search criteria. A text without any word matches nothing.
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
create function upload_query(
  user_id text, words text, tags text[], type text, probe_state text, in_folder text, below_folder text,
  has_findings boolean
) returns tsquery language sql immutable parallel safe as $$
  select case
    when has_findings is null then asked
    when asked is null then with_findings
    else asked && with_findings end
  from (
    select asked, case when has_findings then found else !! found end as with_findings
    from (
      select upload_query(user_id, words, tags, type, probe_state, in_folder, below_folder) as asked,
        ('''' || replace(replace(findings_term(user_id), '\', '\\'), '''', '''''') || '''')::tsquery as found
    ) as terms
  ) as queries
$$;

-- The words of titles are searched like those of the name.
create function set_upload_terms() returns trigger language plpgsql as $$
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
-- Triggers run in the order of their names: this one after upload_inspected, which sets finding_kinds.
create trigger upload_terms
  before insert or update of
    name, folder, tags, type, probe_state, finding_kinds, content_hash, file_tags, given_titles on uploads
  for each row execute function set_upload_terms();

create function stored_bytes_of(u uploads) returns bigint language sql immutable as $$
  select case when u.uploaded then coalesce(u.size_bytes, 0) else 0 end $$;
create function incoming_bytes_of(u uploads) returns bigint language sql immutable as $$
  select case when not u.uploaded and u.probe_state = 'pending' then u.expected_bytes else 0 end $$;
create function count_uploads_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'incomingBytes', sum(incoming_bytes_of(u))::bigint),
    note_use(user_id, 'storedBytes', sum(stored_bytes_of(u))::bigint), note_use(user_id, 'uploads', count(*))
  from added u group by user_id order by user_id;
  return null;
end $$;
create function count_uploads_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'incomingBytes', -sum(incoming_bytes_of(u))::bigint),
    note_use(user_id, 'storedBytes', -sum(stored_bytes_of(u))::bigint), note_use(user_id, 'uploads', -count(*))
  from gone u group by user_id order by user_id;
  return null;
end $$;
create function count_upload_changed() returns trigger language plpgsql as $$
begin
  perform note_use(new.user_id, 'incomingBytes', incoming_bytes_of(new) - incoming_bytes_of(old));
  perform note_use(new.user_id, 'storedBytes', stored_bytes_of(new) - stored_bytes_of(old));
  return null;
end $$;
create trigger uploads_added after insert on uploads referencing new table as added
  for each statement execute function count_uploads_added();
create trigger uploads_gone after delete on uploads referencing old table as gone
  for each statement execute function count_uploads_gone();
create trigger uploads_changed after update of uploaded, size_bytes, probe_state, expected_bytes on uploads
  for each row execute function count_upload_changed();

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

create function record_upload_examined() returns trigger language plpgsql as $$
begin
  perform record_event(new.user_id, 'upload.' || new.probe_state, new.id, case new.probe_state
    when 'completed' then json_build_object(
      'uploadID', new.id, 'name', new.name, 'type', new.type, 'durationSeconds', new.duration_seconds)
    else json_build_object('uploadID', new.id, 'name', new.name, 'failure', new.failure) end);
  return null;
end $$;
create trigger uploads_examined after update of probe_state on uploads
  for each row when (new.probe_state <> 'pending' and old.probe_state <> new.probe_state)
  execute function record_upload_examined();

create function signal_upload() returns trigger language plpgsql as $$
begin
  perform note_signal(new.user_id, 'media_unplayable', new.id, null, null,
    case new.probe_state when 'failed' then 'wrong' else 'well' end,
    jsonb_build_object('name', new.name, 'reason', new.failure));
  return null;
end $$;
create trigger uploads_signalled after update of probe_state on uploads
  for each row when (old.probe_state <> new.probe_state and new.probe_state <> 'pending')
  execute function signal_upload();
create trigger uploads_signalled_gone after delete on uploads
  for each row execute function signal_gone('media_unplayable');

-- Uploads that are sent in parts. A row exists until the upload is complete.
create table multiparts (
  upload_id text primary key references uploads on delete cascade,
  user_id text not null references users on delete cascade,
  -- The object store's id of the multipart upload, and its start time; null until a client requests the URL of a part.
  multipart_id text,
  begun_at timestamptz,
  -- Whether the parts are sent with their SHA-256.
  has_sha256 boolean not null default false,
  check ((multipart_id is null) = (begun_at is null))
);
create trigger multiparts_added after insert on multiparts referencing new table as added
  for each statement execute function count_added('multipartUploads');
create trigger multiparts_gone after delete on multiparts referencing old table as gone
  for each statement execute function count_gone('multipartUploads');

-- Inspections: measurements of a whole content, and pictures of it. Made once per content, in fair turns.
create table inspections (
  content_hash text primary key,
  -- The first user who uploaded it. Turns are fair between users.
  user_id text not null,
  turn bigint not null,
  state text not null default 'pending' check (state in ('pending', 'completed', 'removing')),
  -- Whether no upload has the content any more.
  is_orphan boolean not null default false,
  -- The claim of a worker, and its end.
  claim uuid,
  claimed_until timestamptz,
  -- Number of claims since the last progress.
  attempts integer not null default 0,
  -- Progress, from 0 to 1.
  share double precision not null default 0,
  -- The measurements up to now (domain/media/measurements.ts), and the seconds that the tools took.
  measurements jsonb,
  tool_seconds double precision not null default 0,
  findings jsonb not null default '[]',
  -- The kinds of the findings, each once.
  finding_kinds text[] not null default '{}',
  loudness jsonb,
  -- Null until they exist.
  pictures jsonb
);
create index inspections_by_turn on inspections (turn, content_hash) where state <> 'completed';
create index inspections_by_user on inspections (user_id, turn) where state <> 'completed';
create index inspections_orphaned on inspections (content_hash) where is_orphan;

-- The turn after the last one of a user, or the current turn.
create function next_inspection_turn(of_user text) returns bigint language sql stable as $$
  select greatest(
    coalesce((select min(turn) from inspections where state <> 'completed'), 0),
    coalesce((select max(turn) + 1 from inspections where state <> 'completed' and user_id = of_user), 0))
$$;

-- Requests the inspection of a content when an upload is found to have it, and copies the findings if they exist.
create function note_inspected_content() returns trigger language plpgsql as $$
begin
  new.finding_kinds := '{}';
  if new.content_hash is not null then
    insert into inspections as i (content_hash, user_id, turn)
    values (new.content_hash, new.user_id, next_inspection_turn(new.user_id))
    on conflict (content_hash) do update set is_orphan = false
    returning finding_kinds into new.finding_kinds;
  end if;
  return new;
end $$;
create trigger upload_inspected before update of content_hash on uploads
  for each row when (new.content_hash is distinct from old.content_hash) execute function note_inspected_content();

-- If two uploads leave a content at the same time, the second one waits for the first, and then finds that it was the
-- last.
create function note_left_content() returns trigger language plpgsql as $$
begin
  perform from inspections where content_hash = old.content_hash for update;
  update inspections set is_orphan = true
  where content_hash = old.content_hash and not exists (select from uploads where content_hash = old.content_hash);
  return null;
end $$;
create trigger upload_deleted after delete on uploads
  for each row when (old.content_hash is not null) execute function note_left_content();
create trigger upload_content_left after update of content_hash on uploads
  for each row when (old.content_hash is not null and new.content_hash is distinct from old.content_hash)
  execute function note_left_content();

-- Records that an upload has been inspected completely. If the content was inspected earlier for another upload, this
-- happens as soon as the content of this upload is known.
create function record_upload_looked_through(upload uploads) returns void language sql as $$
  select record_event(upload.user_id, 'upload.examined', upload.id, json_build_object(
    'uploadID', upload.id, 'name', upload.name, 'examinedShare', share, 'findingKinds', i.finding_kinds,
    'loudness', loudness))
  from inspections i where i.content_hash = upload.content_hash and state = 'completed'
$$;

-- If many uploads have the content, events are written for the last hundred of each user, and a thousand in all, taken
-- from the users in turn, because the inspecting worker waits for this.
create function record_content_inspected() returns trigger language plpgsql as $$
begin
  perform record_upload_looked_through(told) from uploads told join (
    select id from (
      select id, row_number() over (partition by user_id order by id desc) as turn from uploads u
      where content_hash = new.content_hash
        and exists (select from webhooks where user_id = u.user_id and enabled and 'upload.examined' = any (events)))
      in_turn
    where turn <= 100 order by turn limit 1000) wanted using (id);
  return null;
end $$;
create trigger inspection_completed after update of state on inspections for each row
  when (new.state = 'completed' and old.state <> 'completed') execute function record_content_inspected();

create function record_upload_of_inspected_content() returns trigger language plpgsql as $$
begin
  perform record_upload_looked_through(new);
  return null;
end $$;
-- By its name it runs after uploads_examined, whose event reports that the upload can be played.
create trigger uploads_looked_through after update of content_hash on uploads for each row
  when (new.content_hash is not null and new.content_hash is distinct from old.content_hash)
  execute function record_upload_of_inspected_content();

create function note_inspected() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), 'upload', id, false from uploads where content_hash = new.content_hash
  on conflict do nothing;
  return null;
end $$;
create trigger inspections_note_changed after update of state on inspections
  for each row when (old.state <> new.state) execute function note_inspected();

-- The drawing in the name of a format; null: none. A name may end with a variant: the last seconds of an item, with the
-- title of the next item, or frames from a number on.
create function drawing_of(format text) returns text language sql immutable parallel safe as
  $$ select substring(format from '-([ov][0-9a-f]{16}(?:a|[fl][0-9]+)?)$') $$;

-- The framing of an item, equivalent to framingOf in domain/playout/look.ts; null: black bars.
create function framing_name(item_look jsonb, stream_look jsonb, width integer, height integer) returns text
language sql immutable parallel safe as $$
  select case
    when abs(width * down - height * across) < height * across / 3840::double precision then null
    when framing ->> 'mode' <> 'pad' then framing ->> 'mode'
    else nullif('pad' || substr(framing ->> 'colour', 2), 'pad000000') end
  from (
    select coalesce(nullif(item_look, 'null') -> 'framing', stream_look -> 'framing') as framing,
      split_part(aspect, ':', 1)::integer as across, split_part(aspect, ':', 2)::integer as down
    from (select coalesce(stream_look ->> 'aspect', '16:9') as aspect) as shape) as framed
$$;

-- Renditions: contents that are prepared in a format for the prepared backend. One row for each content and format,
-- whichever users have uploaded or requested it.
create table renditions (
  content_hash text not null,
  format text not null,
  state text not null default 'preparing' check (state in ('preparing', 'ready', 'failed')),
  segment_count integer not null,
  -- Segments are made in order. If a worker dies, the next one continues after the finished segments.
  segments_done integer not null default 0,
  failure jsonb,
  -- Time of the last start or progress of work.
  updated_at timestamptz not null default now(),
  -- The kind of encoder of all its segments: another kind would change the parameter sets during a live stream. Null:
  -- sound.
  encoder text,
  -- The time since which only workers with other encoders have come; null while a worker with this kind prepares it.
  encoder_missed_since timestamptz,
  -- Number of segments, from the first one, that have ever been made. After a change of encoder it exceeds
  -- segments_done.
  segments_written integer not null default 0,
  primary key (content_hash, format)
);
create index renditions_by_drawing on renditions (drawing_of(format)) where drawing_of(format) is not null;

-- Uploads and formats that users have requested: prepared media is limited for each user.
create table prepared_uploads (
  upload_id text not null references uploads on delete cascade,
  format text not null,
  user_id text not null references users on delete cascade,
  -- The length of the upload, times the work of the encoder in units of 720p30.
  seconds bigint not null,
  primary key (upload_id, format)
);

create function count_prepared_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'preparedSeconds', sum(seconds)::bigint) from added group by user_id order by user_id;
  return null;
end $$;
create function count_prepared_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'preparedSeconds', -sum(seconds)::bigint) from gone group by user_id order by user_id;
  return null;
end $$;
create trigger prepared_uploads_added after insert on prepared_uploads referencing new table as added
  for each statement execute function count_prepared_added();
create trigger prepared_uploads_gone after delete on prepared_uploads referencing old table as gone
  for each statement execute function count_prepared_gone();

-- The kinds of encoders of workers, and the last time a worker with each kind took a command.
create table encoders (
  kind text primary key,
  seen_at timestamptz not null default now()
);

-- The command that currently makes a segment, so that no other makes it too. A row is deleted with the end of its
-- command.
create table media_claims (
  work text primary key,
  command_id text not null,
  expires_at timestamptz not null
);

-- Contents that operators block: uploads of these bytes fail, and nothing is prepared from them.
create table blocked_contents (
  -- SHA-256 of the bytes in hex, which is the beginning of uploads.content_hash.
  bytes_hash text primary key,
  reason text not null,
  blocked_at timestamptz not null default now()
);
