-- Publishers load the large entries of a timeline only while they are in force.

-- The length of the snapshot as JSON; null: the previous release has written it.
alter table timeline_entries add column bytes integer;
