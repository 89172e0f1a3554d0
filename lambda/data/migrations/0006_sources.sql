-- Sources of files, and imports from links.

-- Sources: folders, buckets and feeds of users that are scanned repeatedly. The row is the work: a worker claims it
-- when it is due, and holds it by a lease during the scan.
create table sources (
  id text primary key,
  seq bigint generated always as identity,
  user_id text not null references users on delete cascade,
  kind text not null check (kind in ('s3', 'webdav', 'rss')),
  url text not null check (length(url) <= 2048),
  folder text not null,
  -- Null: no credentials are needed.
  sealed_credentials bytea,
  every_minutes integer not null check (every_minutes between 10 and 1440),
  state text not null default 'ok' check (state in ('ok', 'failing')),
  -- The reason why the last scan failed or was incomplete.
  reason jsonb,
  -- The first of the consecutive failed scans.
  failing_since timestamptz,
  last_scan_at timestamptz,
  found integer not null default 0,
  imported integer not null default 0,
  due_at timestamptz not null default now(),
  -- The epoch grows with every claim, and fences writes of a worker that lost its claim.
  epoch integer not null default 0,
  lease_expires_at timestamptz,
  created_at timestamptz not null default now()
);
create index sources_of_user on sources (user_id, seq);
create index sources_due on sources (due_at);
create trigger sources_added after insert on sources referencing new table as added
  for each statement execute function count_added('sources');
create trigger sources_gone after delete on sources referencing old table as gone
  for each statement execute function count_gone('sources');
create trigger sources_note_added after insert on sources referencing new table as added
  for each statement execute function note_added('source');
create trigger sources_note_gone after delete on sources referencing old table as gone
  for each statement execute function note_gone('source');
create trigger sources_note_changed
  after update of folder, every_minutes, state, reason, failing_since, last_scan_at, found, imported on sources
  for each row execute function note_changed('source');

-- The user is notified once when a source fails; the recovery is an event.
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

create function signal_source() returns trigger language plpgsql as $$
begin
  perform note_signal(new.user_id, 'source_unreachable', new.id, null, null,
    case new.state when 'failing' then 'wrong' else 'well' end,
    -- The query of the URL of a feed may be a secret.
    jsonb_build_object('name', split_part(new.url, '?', 1), 'reason', new.reason));
  return null;
end $$;
create trigger sources_signalled after update of state on sources
  for each row when (old.state <> new.state) execute function signal_source();
create trigger sources_signalled_gone after delete on sources
  for each row execute function signal_gone('source_unreachable');

create table source_files (
  source_id text not null references sources on delete cascade,
  path text not null check (octet_length(path) <= 1024),
  -- A digest, because third parties choose the text.
  version text not null check (length(version) <= 64),
  fingerprint text check (length(fingerprint) <= 64),
  -- Null after its user has deleted the upload.
  upload_id text references uploads on delete set null,
  removed_at timestamptz,
  -- Number of failed imports of the file, and the earliest time of a retry by a scan.
  failures integer not null default 0,
  retry_at timestamptz,
  primary key (source_id, path)
);
create index source_files_by_upload on source_files (upload_id);

-- Imports: uploads whose bytes come from a link. The row is the work: a worker claims it, holds it by a lease, and
-- records its progress.
create table imports (
  upload_id text primary key references uploads on delete cascade,
  seq bigint generated always as identity,
  user_id text not null references users on delete cascade,
  url text not null constraint imports_url_length check (length(url) <= 8192),
  -- Whether the user named the upload; otherwise the name comes from the link.
  named boolean not null,
  state text not null default 'pending' check (state in ('pending', 'downloading', 'completed', 'failed')),
  bytes_received bigint not null default 0,
  failure jsonb,
  -- The epoch grows with every claim, and fences writes of a worker that lost its claim.
  epoch integer not null default 0,
  lease_expires_at timestamptz,
  -- Deadline, counted from the first claim.
  deadline_at timestamptz,
  -- The multipart upload with the stored bytes, and the version of the file behind the link, which a worker that
  -- continues compares. Both null until the link has answered.
  multipart_id text,
  source_version jsonb,
  -- The source whose credentials open the link; null: the link needs none.
  source_id text references sources on delete set null
);
create index imports_held on imports (user_id, lease_expires_at) where lease_expires_at is not null;
create index imports_of_source on imports (source_id) where source_id is not null;
-- A worker reads the first waiting imports of each user, and no others.
create index imports_unclaimed on imports (user_id, seq)
  where lease_expires_at is null and state in ('pending', 'downloading');

create function count_imports() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.state in ('pending', 'downloading') then
    perform note_use(old.user_id, 'imports', -1);
  end if;
  if tg_op <> 'DELETE' and new.state in ('pending', 'downloading') then
    perform note_use(new.user_id, 'imports', 1);
  end if;
  return null;
end $$;
create trigger imports_counted after insert or delete on imports for each row execute function count_imports();
create trigger imports_moved after update of state on imports
  for each row when (old.state <> new.state) execute function count_imports();

-- The progress of an import changes continuously, and is no change for clients.
create function note_import() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  values (new.user_id, pg_current_xact_id(), 'upload', new.upload_id, false) on conflict do nothing;
  return null;
end $$;
create trigger imports_note_changed after update of state on imports
  for each row when (old.state <> new.state) execute function note_import();
