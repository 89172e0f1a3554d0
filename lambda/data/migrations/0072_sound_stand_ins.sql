-- Whose sound played in place of the item that the track of sound has there; null: that item, or there is no such
-- track.
alter table aired_frames add column sound_stand_in_upload_id text;
