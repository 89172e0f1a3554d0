-- Clips: uploads that are a part of another upload's file. The file stays with the upload that it came with.
alter table uploads
  -- The upload whose file it is a part of; null: it has a file of its own.
  add column clip_of text references uploads (id),
  -- Seconds for which an image is shown; null: as long as usual.
  add column show_seconds double precision check (show_seconds > 0),
  -- The times at which programmes may begin it: {"from", "until", "hours"}; null: any time.
  add column availability jsonb;
create index uploads_by_clipped on uploads (clip_of) where clip_of is not null;
alter table uploads drop constraint uploads_object_key_key;
create unique index uploads_by_file on uploads (object_key) where clip_of is null;

-- Changed lengths and times are in the next plan of the user's programmes.
drop trigger uploads_planned_again on uploads;
create trigger uploads_planned_again
  after update of probe_state, folder, tags, given_titles, name, show_seconds, availability on uploads
  for each row when (new.probe_state = 'completed' and (
    old.probe_state, old.folder, old.tags, old.given_titles, old.name, old.show_seconds, old.availability)
    is distinct from (
    new.probe_state, new.folder, new.tags, new.given_titles, new.name, new.show_seconds, new.availability))
  execute function plan_programmes_again();
