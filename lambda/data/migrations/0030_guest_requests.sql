-- Requests of guests: viewers of a channel who ask at its guide link for an item, by a policy of the owner.
alter table guide_links
  -- {"collectionID", "perHour", "perGuestMinutes", "sameItemMinutes"}; null: guests cannot ask.
  add column requests jsonb;

-- Granted requests, until the waits that follow from them are over. Refused ones leave no row, so that a flood does not
-- fill the table: a link has as many rows as its policy grants.
create table guest_requests (
  id bigint generated always as identity primary key,
  stream_id text not null references guide_links (stream_id) on delete cascade,
  -- The keyed hash of the guest's address and the stream.
  guest bytea not null,
  granted_at timestamptz not null default now(),
  forget_at timestamptz not null
);
create index guest_requests_by_time on guest_requests (stream_id, granted_at);
create index guest_requests_by_end on guest_requests (forget_at);

alter table queued_items
  add column by_guest boolean not null default false;
