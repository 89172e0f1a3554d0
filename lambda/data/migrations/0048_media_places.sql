-- Whether an agent has as many media commands under way as it carries out at a time.
-- In a file of its own: renewals lock agents before due times.
alter table agents add column is_media_full boolean not null default false;
