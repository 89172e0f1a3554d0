-- How the file of an upload is read, if the usual way would be wrong: the chosen tracks, the colour matrix, the
-- distance of keyframes. Null: the usual way, or not examined.
alter table uploads add column reading jsonb;
