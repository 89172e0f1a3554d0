-- What was prepared belongs to its content: how much of it was ever made, and what a source costs to decode.

-- So many segments were made at some time, the first ones. After a change of encoder they are more than segments_done.
alter table renditions add column segments_written integer not null default 0;

-- Some were given up because another upload of the same bytes had been declared to be something else. They are prepared
-- again when a user asks; what cannot be decoded fails once more.
update renditions
set failure = '{"code": "not_prepared",
  "detail": "We could not prepare this file, by no fault of yours. Start the stream again."}'
where state = 'failed' and failure ->> 'code' = 'damaged';

-- As decodeCost of domain/source-limits.ts has it; null for what was examined before.
alter table uploads add column decode_cost double precision;
