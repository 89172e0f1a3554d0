-- Pictures of what is on the air at a time, made on request. They and their objects are deleted a day after they were
-- asked for last. Whoever asked may be gone by then, so that nothing refers to a user.
create table frames (
  object_key text primary key,
  user_id text not null,
  upload_id text not null,
  -- Of the item, on the grid of its format.
  frame integer not null,
  format text not null,
  width integer not null,
  state text not null default 'pending' check (state in ('pending', 'ready', 'failed')),
  asked_at timestamptz not null default now()
);
create index frames_by_time on frames (asked_at);
create index frames_pending on frames (user_id) where state = 'pending';
