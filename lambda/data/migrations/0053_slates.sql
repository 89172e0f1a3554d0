-- Slates: uploads that streams show after the loss of a contributor.

-- Null: the loop follows.
alter table live_inputs add column slate_upload_id text references uploads on delete set null;
create index live_inputs_by_slate on live_inputs (slate_upload_id) where slate_upload_id is not null;

-- `IntervalSlate` of the domain. Null: the input had none, or the previous release wrote the interval.
alter table takeover_intervals
  add column slate_upload_id text,
  add column slate_seconds integer,
  add column slate_to_frame bigint;

-- The state of an upload's rendition in a format; null: none was requested. The live ingest asks for that of a slate,
-- and may read neither table.
create function slate_state(upload text, wanted text) returns text language sql stable security definer
set search_path = public, pg_temp
as $$
  select r.state from uploads u join renditions r on r.content_hash = u.content_hash
  where u.id = upload and r.format = wanted
$$;
