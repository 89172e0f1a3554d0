-- Which streams play an upload as their stinger: they are looked up when it is examined, and before it is deleted.
create index streams_by_stinger on streams ((look #>> '{stinger,uploadID}'))
  where look #>> '{stinger,uploadID}' is not null;
