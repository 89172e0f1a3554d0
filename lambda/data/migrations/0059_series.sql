-- What charts of a stream show, of each of its outputs: points in rows of an hour, a day or 30 days, so that what is
-- kept of a stream is bounded, and a chart of a month is read as a few rows. Points that nobody measured are null.

create table stream_series (
  stream_id text not null references streams on delete cascade,
  -- Empty: the first output of the stream.
  output_id text not null default '',
  -- From one point to the next.
  step_seconds integer not null check (step_seconds in (10, 300, 3600)),
  began_at timestamptz not null,
  bitrate_kbps integer[] not null,
  frames_per_second real[] not null,
  dropped_frames integer[] not null,
  reconnects smallint[] not null,
  -- As seriesStates of domain/series.ts has them.
  states smallint[] not null,
  -- Whether the coarser rows have what is in this one.
  is_rolled boolean not null default false,
  primary key (stream_id, output_id, step_seconds, began_at)
) with (fillfactor = 60);
create index stream_series_unrolled on stream_series (began_at) where step_seconds = 10 and not is_rolled;
create index stream_series_by_age on stream_series (step_seconds, began_at);
