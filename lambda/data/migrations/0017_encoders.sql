-- One kind of encoder makes all of a rendition: at a change of encoder, a live stream would change its parameter sets.

-- The kind that made the segments there are; null for sound, and for what was begun before this was noted.
alter table renditions add column encoder text;
-- Since when only workers with other kinds have come; null while one of the right kind works at it.
alter table renditions add column encoder_missed_since timestamptz;

-- The kinds that workers have, and when one of them last took a command.
create table encoders (
  kind text primary key,
  seen_at timestamptz not null default now()
);

-- Which command makes a segment now, so that no other makes it too. One that is done is deleted.
create table media_claims (
  work text primary key,
  command_id text not null,
  expires_at timestamptz not null
);
