-- Imports: uploads whose bytes come from a link. The row is the work: a worker claims it, holds it by a lease, and writes down how far it got.

create table imports (
  upload_id text primary key references uploads on delete cascade,
  seq bigint generated always as identity,
  user_id text not null references users on delete cascade,
  url text not null,
  -- Whether the user named the upload; otherwise its source does.
  named boolean not null,
  state text not null default 'pending' check (state in ('pending', 'downloading', 'completed', 'failed')),
  bytes_received bigint not null default 0,
  failure jsonb,
  -- The epoch grows with every claim and fences writes of a worker that lost it.
  epoch integer not null default 0,
  lease_expires_at timestamptz,
  -- Counted from the first claim.
  deadline_at timestamptz,
  -- The parts that have been stored, and what tells that the source is still what they came from: both null until it first answered.
  multipart_id text,
  source_version jsonb
);
create index imports_to_claim on imports (seq) where lease_expires_at is null and state in ('pending', 'downloading');
create index imports_held on imports (user_id, lease_expires_at) where lease_expires_at is not null;
