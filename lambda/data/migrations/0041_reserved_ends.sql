-- Units of a platform's daily quota that are kept for the end of a broadcast. The release before keeps none.

alter table broadcasts
  -- They count as used from the making of the broadcast on, on that day of the quota alone.
  add column reserved_units integer not null default 0,
  -- YYYY-MM-DD in the platform's zone.
  add column reserved_day text;

alter table platform_quota
  -- By our own count, no broadcast is begun any more until then; others may still be ended.
  add column starts_exhausted_until timestamptz;
