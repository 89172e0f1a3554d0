-- What of each user changed, and in which transaction: a page that shows it asks for what came since. Rows are only
-- added, so nobody waits for anybody here, and are kept for an hour. Unlogged: after a crash, whoever asks is told to
-- read everything again, and changes write no WAL.

create unlogged table changes (
  user_id text not null,
  xid xid8 not null,
  kind text not null,
  id text not null,
  is_deleted boolean not null,
  at timestamptz not null default clock_timestamp(),
  primary key (user_id, xid, kind, id)
);
create index changes_by_time on changes (at);

-- One row: of transactions up to this one, changes may have been forgotten. A crash takes it too.
create unlogged table forgotten_changes (up_to xid8 not null);
insert into forgotten_changes values (pg_current_xact_id());

-- For tables with user_id and id; the triggers name the kind.
create function note_added() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), tg_argv[0], id, false from added on conflict do nothing;
  return null;
end $$;
create function note_gone() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), tg_argv[0], id, true from gone
  on conflict (user_id, xid, kind, id) do update set is_deleted = true;
  return null;
end $$;
-- By row, as most updates of these tables are of columns that nobody sees: such a trigger costs them nothing.
create function note_changed() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  values (new.user_id, pg_current_xact_id(), tg_argv[0], new.id, tg_nargs > 1)
  on conflict (user_id, xid, kind, id) do update set is_deleted = true where excluded.is_deleted;
  return null;
end $$;

create trigger streams_note_added after insert on streams referencing new table as added
  for each statement execute function note_added('stream');
create trigger streams_note_gone after delete on streams referencing old table as gone
  for each statement execute function note_gone('stream');
-- Many streams move in one statement, and nearly all that is written here is seen: figures are in rows of agents.
-- A stream that is deleted while it is live stays until it has ended, but nobody sees it.
create function note_streams() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), 'stream', id, deleted_at is not null from changed
  on conflict (user_id, xid, kind, id) do update set is_deleted = true where excluded.is_deleted;
  return null;
end $$;
create trigger streams_note_changed after update on streams referencing new table as changed
  for each statement execute function note_streams();

create trigger uploads_note_added after insert on uploads referencing new table as added
  for each statement execute function note_added('upload');
create trigger uploads_note_gone after delete on uploads referencing old table as gone
  for each statement execute function note_gone('upload');
create trigger uploads_note_changed after update on uploads
  for each row when (old.* is distinct from new.*) execute function note_changed('upload');

create trigger playlists_note_added after insert on playlists referencing new table as added
  for each statement execute function note_added('playlist');
create trigger playlists_note_gone after delete on playlists referencing old table as gone
  for each statement execute function note_gone('playlist');
create trigger playlists_note_changed after update on playlists
  for each row execute function note_changed('playlist');

create trigger destinations_note_added after insert on destinations referencing new table as added
  for each statement execute function note_added('destination');
create trigger destinations_note_gone after delete on destinations referencing old table as gone
  for each statement execute function note_gone('destination');
create trigger destinations_note_changed after update on destinations
  for each row when (old.* is distinct from new.*) execute function note_changed('destination');

create trigger connections_note_added after insert on connections referencing new table as added
  for each statement execute function note_added('connection');
create trigger connections_note_gone after delete on connections referencing old table as gone
  for each statement execute function note_gone('connection');
create trigger connections_note_changed
  after update of state, account_id, title_cached, live_url, scopes, problem, grant_ends_at on connections
  for each row when (old.* is distinct from new.*) execute function note_changed('connection');
create trigger connections_note_leaving after update of deleted_at on connections
  for each row when (new.deleted_at is not null) execute function note_changed('connection', 'deleted');

create trigger managed_settings_note_added after insert on managed_settings referencing new table as added
  for each statement execute function note_added('managedSettings');
create trigger managed_settings_note_gone after delete on managed_settings referencing old table as gone
  for each statement execute function note_gone('managedSettings');
create trigger managed_settings_note_changed after update on managed_settings
  for each row execute function note_changed('managedSettings');

create trigger sources_note_added after insert on sources referencing new table as added
  for each statement execute function note_added('source');
create trigger sources_note_gone after delete on sources referencing old table as gone
  for each statement execute function note_gone('source');
create trigger sources_note_changed
  after update of folder, every_minutes, state, reason, failing_since, last_scan_at, found, imported on sources
  for each row execute function note_changed('source');

create trigger webhooks_note_added after insert on webhooks referencing new table as added
  for each statement execute function note_added('webhook');
create trigger webhooks_note_gone after delete on webhooks referencing old table as gone
  for each statement execute function note_gone('webhook');
-- Not when it was delivered to last: that is as often as something happens.
create trigger webhooks_note_changed after update of url, events, enabled, disabled_reason, sealed_secret on webhooks
  for each row execute function note_changed('webhook');

create trigger alert_channels_note_added after insert on alert_channels referencing new table as added
  for each statement execute function note_added('alertChannel');
create trigger alert_channels_note_gone after delete on alert_channels referencing old table as gone
  for each statement execute function note_gone('alertChannel');
create trigger alert_channels_note_changed after update on alert_channels
  for each row when (old.enabled <> new.enabled or old.last_delivery is distinct from new.last_delivery
    or (old.name, old.shown_target, old.events, old.after_seconds, old.quiet_hours)
      is distinct from (new.name, new.shown_target, new.events, new.after_seconds, new.quiet_hours))
  execute function note_changed('alertChannel');

-- Only of what is confirmed, which alone is seen. Who may not read of credits may not read of these.
create function note_incident() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  values (new.user_id, pg_current_xact_id(),
    case new.kind when 'credits_low' then 'creditsIncident' else 'incident' end, new.id, false)
  on conflict do nothing;
  return null;
end $$;
create trigger incidents_note_added after insert on incidents
  for each row when (new.confirmed_at is not null) execute function note_incident();
create trigger incidents_note_changed after update on incidents
  for each row when (new.confirmed_at is not null and (old.confirmed_at is null or old.count <> new.count
    or old.ended_at is distinct from new.ended_at or old.detail <> new.detail)) execute function note_incident();

-- For tables with stream_id: what they hold is seen with the stream.
create function note_stream_of() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), 'stream', id, deleted_at is not null from streams
  where id = coalesce(new.stream_id, old.stream_id)
  on conflict do nothing;
  return null;
end $$;
create trigger outputs_note_changed after insert or update or delete on outputs
  for each row execute function note_stream_of();
create trigger replicas_note_changed after update of state, reason on replicas
  for each row when (old.state <> new.state or old.reason is distinct from new.reason)
  execute function note_stream_of();
create trigger mirror_intents_note_changed after insert or update of state, code, detail, generation on mirror_intents
  for each row execute function note_stream_of();
-- Not how many watch: that is counted each minute.
create trigger broadcasts_note_changed
  after insert or update of external_id, watch_url, phase, title, scheduled_start_at, health, live_at, ended_at
  on broadcasts
  for each row execute function note_stream_of();

-- How far an import is changes all the time, and is not noted.
create function note_import() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  values (new.user_id, pg_current_xact_id(), 'upload', new.upload_id, false) on conflict do nothing;
  return null;
end $$;
create trigger imports_note_changed after update of state on imports
  for each row when (old.state <> new.state) execute function note_import();

create function note_inspected() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), 'upload', id, false from uploads where content_hash = new.content_hash
  on conflict do nothing;
  return null;
end $$;
create trigger inspections_note_changed after update of state on inspections
  for each row when (old.state <> new.state) execute function note_inspected();

-- Invoices, and until when the credits last, are one thing.
create function note_billing() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  values (new.user_id, pg_current_xact_id(), 'billing', new.user_id, false) on conflict do nothing;
  return null;
end $$;
create trigger invoices_note_changed after insert or update on invoices for each row execute function note_billing();
create trigger billing_accounts_note_changed after update of credits_exhausted_at on billing_accounts
  for each row when (old.credits_exhausted_at is distinct from new.credits_exhausted_at)
  execute function note_billing();
create function note_deposit() returns trigger language plpgsql as $$
begin
  insert into changes (user_id, xid, kind, id, is_deleted)
  select user_id, pg_current_xact_id(), 'billing', user_id, false from crypto_addresses where id = new.address_id
  on conflict do nothing;
  return null;
end $$;
create trigger crypto_deposits_note_changed after insert or update of state on crypto_deposits
  for each row execute function note_deposit();
