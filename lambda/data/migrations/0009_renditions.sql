-- What uploads are prepared to, for the manifest backend: one row for each content and format, whoever uploaded it and whoever asks.

-- SHA-256 of the bytes in hex; null where nobody has read them for it yet.
alter table uploads add column content_hash text;
create index uploads_by_content on uploads (content_hash) where content_hash is not null;

create table renditions (
  content_hash text not null,
  format text not null,
  state text not null default 'preparing' check (state in ('preparing', 'ready', 'failed')),
  segment_count integer not null,
  -- Segments are made in order; a worker that dies leaves those before the next one.
  segments_done integer not null default 0,
  failure jsonb,
  -- When work on it was last begun or done.
  updated_at timestamptz not null default now(),
  primary key (content_hash, format)
);
