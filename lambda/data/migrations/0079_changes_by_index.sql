-- Connections keep the plan that they made for the first replicas which changed: after many of them it read all streams
-- for each claim and each report. So each stream is looked up by itself.
create or replace function note_streams_of_replicas() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select s.user_id, pg_current_xact_id(), 'stream', n.stream_id, s.deleted_at is not null
  from is_now n
  join was on was.id = n.id
  cross join lateral (select user_id, deleted_at from streams where id = n.stream_id offset 0) s
  where was.state <> n.state or was.reason is distinct from n.reason
  on conflict do nothing;
  return null;
end $$;
