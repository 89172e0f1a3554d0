-- Which streams draw an upload as their logo: they are looked up when it is examined, and before it is deleted.
create index streams_by_logo on streams ((look #>> '{overlays,logo,uploadID}'))
  where look #>> '{overlays,logo,uploadID}' is not null;
