-- Uploads that users queue in a programme: they play next, once each, in the order in which they were queued.
create table queued_items (
  id text primary key,
  programme_id text not null references programmes (id) on delete cascade,
  -- Plans know by the largest number that was planned before which ones are left.
  number bigint not null generated always as identity,
  upload_id text not null references uploads (id) on delete cascade,
  queued_at timestamptz not null default now(),
  -- The beginning of its row in the last plan; null: it is in none.
  plays_at timestamptz
);
create index queued_items_by_number on queued_items (programme_id, number);
create index queued_items_by_upload on queued_items (upload_id);

-- The next run plays the rows that a run did not reach: its later states are none, and its queued items wait again.
create or replace function forget_plans() returns trigger language plpgsql as $$
begin
  update programmes set planned_until = null, plan_failure = null
  where stream_id = new.id and (planned_until is not null or plan_failure is not null);
  delete from programme_states state using programmes programme
  where programme.stream_id = new.id and state.programme_id = programme.id and state.at > now();
  update queued_items queued set plays_at = null from programmes programme
  where programme.stream_id = new.id and queued.programme_id = programme.id and queued.plays_at > now();
  return null;
end $$;
