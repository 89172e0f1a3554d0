-- Uploads that are sent in parts: each has a row until it is complete.
create table multiparts (
  upload_id text primary key references uploads on delete cascade,
  user_id text not null references users on delete cascade,
  -- What the object store calls it, and when it was begun there: null until a URL for a part is first asked for.
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
