-- A webhook's secret can be replaced: for a while, what is sent is signed with the one before as well. And what users
-- are mailed they can read again, and mark as read.
alter table webhooks add column former_sealed_secret bytea, add column former_secret_until timestamptz;

-- Of what was told before, nobody knows when it was written: when it was due is close.
alter table notifications add column created_at timestamptz, add column read_at timestamptz;
update notifications set created_at = least(due_at, coalesce(sent_at, now())) where isfinite(due_at);
update notifications set created_at = now() where created_at is null;
alter table notifications alter column created_at set default clock_timestamp(), alter column created_at set not null;
create index notifications_by_user on notifications (user_id, id desc);

create trigger notifications_note_added after insert on notifications referencing new table as added
  for each statement execute function note_added('notification');
create trigger notifications_note_changed after update of read_at on notifications
  for each row when (old.read_at is distinct from new.read_at) execute function note_changed('notification');
