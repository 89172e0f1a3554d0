-- The last check of each destination: whether its address can be reached, as an agent found it without a stream.
create table destination_checks (
  destination_id text primary key references destinations on delete cascade,
  user_id text not null,
  -- Another with each asking: what an agent finds for an asking before changes nothing.
  id text not null,
  asked_at timestamptz not null default now(),
  claimed_at timestamptz,
  done_at timestamptz,
  -- What was found at each address, as CheckedFeed of domain/destination-check.ts.
  feeds jsonb
);
create index destination_checks_to_claim on destination_checks (asked_at) where claimed_at is null;
create index destination_checks_under_way on destination_checks (user_id) where done_at is null;

-- It is seen with the destination.
create function note_destination_check() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  values (new.user_id, pg_current_xact_id(), 'destination', new.destination_id, false)
  on conflict do nothing;
  return null;
end $$;
create trigger destination_checks_note_changed after insert or update of id, done_at on destination_checks
  for each row execute function note_destination_check();

-- What was found at one address says nothing of another.
create function forget_destination_check() returns trigger language plpgsql as $$
begin
  delete from destination_checks where destination_id = new.id;
  return null;
end $$;
create trigger destinations_forget_check after update of rtmp_url, backup_rtmp_url on destinations
  for each row when (old.rtmp_url <> new.rtmp_url or old.backup_rtmp_url is distinct from new.backup_rtmp_url)
  execute function forget_destination_check();
