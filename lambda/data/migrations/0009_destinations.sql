-- Destinations of users, outputs of streams to them, and checks of their addresses.

-- The scheme of the address decides whether it is RTMP, SRT or HLS.
create table destinations (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  name text not null,
  url text not null,
  backup_url text,
  sealed_stream_key bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  archived_at timestamptz,
  -- The connected channel that the destination represents. Its address is then empty: each stream has its own ingest
  -- there.
  connection_id text references connections on delete cascade,
  -- Milliseconds that an SRT listener waits for lost packets; null for other destinations.
  srt_latency_ms integer,
  srt_stream_id text,
  sealed_srt_passphrase bytea
);
create index destinations_by_user on destinations (user_id, seq desc);
create unique index destinations_by_connection on destinations (connection_id);
create trigger destinations_note_added after insert on destinations referencing new table as added
  for each statement execute function note_added('destination');
create trigger destinations_note_gone after delete on destinations referencing old table as gone
  for each statement execute function note_gone('destination');
create trigger destinations_note_changed after update on destinations
  for each row when (old.* is distinct from new.*) execute function note_changed('destination');

-- Only destinations that can be used for starts count.
create function count_destinations() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.archived_at is null then perform note_use(old.user_id, 'destinations', -1); end if;
  if tg_op <> 'DELETE' and new.archived_at is null then perform note_use(new.user_id, 'destinations', 1); end if;
  return null;
end $$;
create trigger destinations_counted after insert or delete on destinations
  for each row execute function count_destinations();
create trigger destinations_archived after update of archived_at on destinations
  for each row when ((old.archived_at is null) <> (new.archived_at is null)) execute function count_destinations();

-- Outputs of streams, each with its own replicas. The first one has the destination in streams.destination_id.
create table outputs (
  id text primary key default 'out_' || replace(uuidv7()::text, '-', ''),
  seq bigint generated always as identity unique,
  stream_id text not null references streams on delete cascade,
  destination_id text not null,
  name text,
  enabled boolean not null default true,
  is_first boolean not null default false,
  -- Removed before its replicas had ended: users no longer see it, and the row is deleted after they have ended.
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  unique (stream_id, destination_id)
);
create unique index outputs_first on outputs (stream_id) where is_first;
create index outputs_further on outputs (stream_id) where enabled and not is_first and deleted_at is null;
create index outputs_by_destination on outputs (destination_id);
create trigger outputs_note_changed after insert or update or delete on outputs
  for each row execute function note_stream_of();

-- The first output follows the destination of the stream. Streams on managed platforms have none.
create function keep_first_output() returns trigger language plpgsql as $$
begin
  if new.destination_id is null or new.stream_destination is not null then
    delete from outputs where stream_id = new.id and is_first;
  else
    delete from outputs where stream_id = new.id and destination_id = new.destination_id and not is_first;
    insert into outputs (stream_id, destination_id, is_first) values (new.id, new.destination_id, true)
    on conflict (stream_id) where is_first do update set destination_id = excluded.destination_id;
  end if;
  return null;
end $$;
create trigger streams_begun_with_output after insert on streams
  for each row when (new.destination_id is not null) execute function keep_first_output();
create trigger streams_output after update of destination_id, stream_destination on streams
  for each row when (old.destination_id is distinct from new.destination_id
    or old.stream_destination is distinct from new.stream_destination) execute function keep_first_output();

-- The last check of each destination: whether an agent reaches its address without a stream.
create table destination_checks (
  destination_id text primary key references destinations on delete cascade,
  user_id text not null,
  -- Each request has a new id: the result of an earlier request changes nothing.
  id text not null,
  asked_at timestamptz not null default now(),
  claimed_at timestamptz,
  done_at timestamptz,
  -- The result for each address, as CheckedFeed in domain/destinations/destination-check.ts.
  feeds jsonb
);
create index destination_checks_to_claim on destination_checks (asked_at) where claimed_at is null;
create index destination_checks_under_way on destination_checks (user_id) where done_at is null;

-- Clients see the check as part of the destination.
create function note_destination_check() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  values (new.user_id, pg_current_xact_id(), 'destination', new.destination_id, false)
  on conflict do nothing;
  return null;
end $$;
create trigger destination_checks_note_changed after insert or update of id, done_at on destination_checks
  for each row execute function note_destination_check();

-- A new address needs a new check.
create function forget_destination_check() returns trigger language plpgsql as $$
begin
  delete from destination_checks where destination_id = new.id;
  return null;
end $$;
create trigger destinations_forget_check after update of url, backup_url on destinations
  for each row when (old.url <> new.url or old.backup_url is distinct from new.backup_url)
  execute function forget_destination_check();
