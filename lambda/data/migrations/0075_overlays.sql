-- What is drawn over pictures: by the name that formats have of it, and from when on a run sends what is prepared so.

create table drawings (
  -- As drawingName of domain/drawing-names.ts makes it, of the drawing.
  name text primary key,
  -- As Drawing of domain/drawings.ts.
  drawing jsonb not null,
  noted_at timestamptz not null default now()
);
create index drawings_by_time on drawings (noted_at);

-- The drawing in the name of a format; null: it has none.
create function drawing_of(format text) returns text language sql immutable parallel safe as
  $$ select substring(format from '-([ov][0-9a-f]{16}(?:a|f[0-9]+)?)$') $$;
create index renditions_by_drawing on renditions (drawing_of(format)) where drawing_of(format) is not null;

create table timeline_looks (
  stream_id text not null references streams on delete cascade,
  content_hash text not null,
  -- The name of the format of a rendition that is there.
  format text not null,
  -- It is sent for items that begin at this time of the run or later.
  from_seconds double precision not null,
  primary key (stream_id, content_hash, format)
);

-- A run begins without them, whichever release begins it.
create function forget_looks() returns trigger language plpgsql as $$
begin
  delete from timeline_looks where stream_id = new.id;
  return new;
end $$;
create trigger streams_forget_looks before update of run_quality on streams
  for each row execute function forget_looks();
