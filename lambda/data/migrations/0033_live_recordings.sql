-- Recordings of takeovers as uploads, takeovers by time and in windows, and the item that follows a takeover.

-- Whether takeovers become uploads.
alter table live_inputs add column record boolean not null default false;
-- The times at which an input with takes 'in_windows' may take over: `TakeWindows` of the domain; null: none.
alter table live_inputs add column windows jsonb;
-- The item that a list plays after a takeover that was handed back, or had a planned end.
alter table live_inputs add column after_takeover text not null default 'join_in_progress'
  check (after_takeover in ('join_in_progress', 'next_item'));
alter table live_inputs drop constraint live_inputs_takes_check;
alter table live_inputs add constraint live_inputs_takes_check
  check (takes in ('on_request', 'always', 'in_windows'));

-- The format of the segments, by its name, and the kind of the encoder that made them; null: sessions of the release
-- before, which are not recorded.
alter table live_sessions add column format text;
alter table live_sessions add column encoder text;
-- Whether a takeover has shown it, and may not be recorded yet.
alter table live_sessions add column is_to_record boolean not null default false;
create index live_sessions_to_record on live_sessions (id) where is_to_record;

-- The time of a planned beginning; null: as soon as possible. A takeover without intervals waits for it, and for a
-- stable session.
alter table takeovers add column start_at timestamptz;

create index takeover_intervals_by_session on takeover_intervals (session_id);

-- The parts of sessions that takeovers have shown, as uploads.
create table live_recordings (
  takeover_id text not null references takeovers on delete cascade,
  session_id text not null,
  -- Null: it was refused, or the upload was deleted.
  upload_id text unique references uploads on delete set null,
  -- The format and the kind of encoder of the session.
  format text not null,
  encoder text not null,
  -- Its first segment in the session, and the number of its segments; 0: nothing was shown.
  first_segment integer not null,
  segment_count integer not null,
  -- Whether the session was shown for longer than a recording may last.
  is_cut boolean not null,
  -- The limit that was reached, in words; null: it was not refused.
  refusal text,
  created_at timestamptz not null default now(),
  primary key (takeover_id, session_id)
);
create index live_recordings_by_session on live_recordings (session_id);
