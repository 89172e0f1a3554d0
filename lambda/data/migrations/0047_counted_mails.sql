-- Mails are counted by the hour and the day, and a list of the versions of a programme reads none of their rules.

-- The seconds of a window. The previous release counts minutes only.
alter table request_windows add column seconds integer not null default 60;

alter table programme_versions
  add column block_count integer generated always as (jsonb_array_length(rules -> 'blocks')) stored,
  add column insert_count integer generated always as (jsonb_array_length(rules -> 'inserts')) stored;
