-- Sources: folders, buckets and feeds of users that are looked at again. The row is the work: a worker claims it when
-- it is due, and holds it by a lease while it looks. The release before writes none of it.

-- Keys that the credentials of sources are sealed with: whoever may unwrap them may not unwrap those of data_keys.
create table source_keys (
  id smallint primary key check (id between 1 and 255),
  wrapped_key bytea not null,
  created_at timestamptz not null default now()
);

create table sources (
  id text primary key,
  seq bigint generated always as identity,
  user_id text not null references users on delete cascade,
  kind text not null check (kind in ('s3', 'webdav', 'rss')),
  url text not null check (length(url) <= 2048),
  folder text not null,
  -- Null: it needs none.
  sealed_credentials bytea,
  every_minutes integer not null check (every_minutes between 10 and 1440),
  state text not null default 'ok' check (state in ('ok', 'failing')),
  -- Why the last look failed, or what it has left out.
  reason jsonb,
  -- The first of the looks in a row that failed.
  failing_since timestamptz,
  last_scan_at timestamptz,
  found integer not null default 0,
  imported integer not null default 0,
  due_at timestamptz not null default now(),
  -- The epoch grows with every claim and fences writes of a worker that lost it.
  epoch integer not null default 0,
  lease_expires_at timestamptz,
  created_at timestamptz not null default now()
);
create index sources_of_user on sources (user_id, seq);
create index sources_due on sources (due_at);

create table source_files (
  source_id text not null references sources on delete cascade,
  path text not null check (octet_length(path) <= 1024),
  -- Digests: strangers make what they are of.
  version text not null check (length(version) <= 64),
  fingerprint text check (length(fingerprint) <= 64),
  -- Null once its user has deleted the upload.
  upload_id text references uploads on delete set null,
  removed_at timestamptz,
  -- How often its import has failed, and from when on a look begins it again.
  failures integer not null default 0,
  retry_at timestamptz,
  primary key (source_id, path)
);
create index source_files_by_upload on source_files (upload_id);

-- Whose credentials open the link; null: the link needs none.
alter table imports add column source_id text references sources on delete set null,
  -- The API takes no longer one, nor does the release before.
  add constraint imports_url_length check (length(url) <= 8192) not valid;
create index imports_of_source on imports (source_id) where source_id is not null;

create trigger sources_added after insert on sources referencing new table as added
  for each statement execute function count_added('sources');
create trigger sources_gone after delete on sources referencing old table as gone
  for each statement execute function count_gone('sources');

-- Its user is told once that a source fails, and once that it is well again.
create function note_source_moved() returns trigger language plpgsql as $$
declare
  told jsonb := jsonb_build_object('sourceID', new.id, 'url', new.url, 'reason', new.reason);
begin
  if new.state = 'failing' then
    perform record_event(new.user_id, 'source.failing', new.id, told::json);
    insert into notifications (user_id, kind, reference, detail, due_at)
    values (new.user_id, 'source_failing', new.id || ' ' || new.failing_since::text, told, now())
    on conflict (user_id, kind, reference) do nothing;
  else
    perform record_event(new.user_id, 'source.recovered', new.id, (told - 'reason')::json);
  end if;
  return null;
end $$;
create trigger sources_moved after update of state on sources for each row
  when (old.state <> new.state) execute function note_source_moved();

-- As before, and for commands that name a source.
create or replace function user_of_command(body jsonb) returns text language sql stable as $$
  select case
    when body ? 'uploadID' then (select user_id from uploads where id = body ->> 'uploadID')
    when body ? 'playlistID' then (select user_id from playlists where id = body ->> 'playlistID')
    when body ? 'streamID' then (select user_id from streams where id = body ->> 'streamID')
    when body ? 'webhookID' then (select user_id from webhooks where id = body ->> 'webhookID')
    when body ? 'connectionID' then (select user_id from connections where id = body ->> 'connectionID')
    when body ? 'notificationID' then (select user_id from notifications where id = (body ->> 'notificationID')::bigint)
    when body ? 'sourceID' then (select user_id from sources where id = body ->> 'sourceID')
    -- As uploadKey of domain/object-keys.ts makes it.
    when body ->> 'objectKey' like 'uploads/%' then split_part(body ->> 'objectKey', '/', 2)
  end $$;
