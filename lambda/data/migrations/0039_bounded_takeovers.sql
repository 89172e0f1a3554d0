-- Takeovers are bounded for each stream, and the last one of a run is found by an index.

-- Those that have shown nothing are of no use once they have ended.
delete from takeovers t
where ended_at is not null and not exists (select from takeover_intervals v where v.takeover_id = t.id);
create index takeovers_by_beginning on takeovers (stream_id, anchored_at, began_at);
drop index takeovers_by_run;
