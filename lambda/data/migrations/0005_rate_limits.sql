-- How many requests somebody has made within the minute that runs for them. Unlogged: a crash may forget a minute, and counting writes no WAL.

create unlogged table request_windows (
  subject text not null,
  class text not null,
  began_at timestamptz not null default now(),
  requests integer not null default 1,
  primary key (subject, class)
) with (fillfactor = 50);
