-- Moving pictures with texts that tell of the sound track are hardly ever the same again: they are kept for a shorter
-- time than other joins.
create index joins_told_by_time on joins (asked_at)
  where recipe ->> 'shape' = 'plain' and recipe -> 'item' ->> 'kind' = 'video';
