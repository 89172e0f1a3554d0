-- Live takeovers: a contributor sends to a live input, and a stream shows this session in place of its timeline.

create table live_inputs (
  id text primary key,
  user_id text not null references users on delete cascade,
  stream_id text not null references streams on delete cascade,
  name text not null,
  -- The SHA-256 of the key, which has 192 random bits.
  key_sha256 bytea not null unique,
  -- 'on_request': a user takes over; 'always': each stable session does.
  takes text not null check (takes in ('on_request', 'always')),
  -- 'refuse': the first publisher stays; 'replace': the second one continues.
  second_publisher text not null check (second_publisher in ('refuse', 'replace')),
  -- Networks that may send; empty: all.
  allow text[] not null,
  -- A session is ready after this time without a gap.
  stable_seconds smallint not null,
  -- A takeover waits this long for the next session after a loss.
  grace_seconds smallint not null,
  -- From the arrival of a picture to its sending.
  delay_seconds smallint not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index live_inputs_by_stream on live_inputs (stream_id, created_at);
create index live_inputs_by_user on live_inputs (user_id);

-- Connections of contributors, each with its segments of one group of pictures.
create table live_sessions (
  id text primary key,
  live_input_id text not null references live_inputs on delete cascade,
  protocol text not null check (protocol in ('rtmp', 'rtmps', 'srt')),
  address text not null,
  began_at timestamptz not null default now(),
  -- Null: no picture has come yet.
  first_picture_at timestamptz,
  -- Whole segments that are stored.
  segment_count integer not null default 0,
  -- The chain of their hashes (`segment-chain.ts` of the domain); null: there are none.
  segments_sha256 bytea,
  -- `LiveSource` of the domain; null: not known yet.
  source jsonb,
  -- The last report of the ingest. It reports each segment, and at least every few seconds.
  reported_at timestamptz not null default now(),
  -- Null: the session is running.
  ended_at timestamptz,
  end_reason text
);
create index live_sessions_by_input on live_sessions (live_input_id, began_at);
create unique index live_sessions_running on live_sessions (live_input_id) where ended_at is null;
create index live_sessions_by_report on live_sessions (reported_at) where ended_at is null;

create table takeovers (
  id text primary key,
  stream_id text not null references streams on delete cascade,
  -- The run.
  anchored_at timestamptz not null,
  -- Null: the input was deleted.
  live_input_id text references live_inputs on delete set null,
  began_at timestamptz not null default now(),
  -- The time of a hand-back that is planned; null: none is.
  end_at timestamptz,
  -- Since when no session is sent; null: one is.
  lost_at timestamptz,
  -- Null: the takeover is open.
  ended_at timestamptz,
  end_reason text
);
create unique index takeovers_open on takeovers (stream_id) where ended_at is null;
create index takeovers_by_run on takeovers (stream_id, anchored_at);
create index takeovers_by_input on takeovers (live_input_id);
create index takeovers_by_loss on takeovers (lost_at) where ended_at is null;

-- Frames of a run that show a session in place of the timeline.
create table takeover_intervals (
  takeover_id text not null references takeovers on delete cascade,
  from_frame bigint not null,
  -- Null: the end is not known yet.
  to_frame bigint,
  session_id text not null,
  -- The segment of the session whose first picture is sent at from_frame.
  first_segment integer not null,
  primary key (takeover_id, from_frame)
);
