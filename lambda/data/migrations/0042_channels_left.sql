-- Channels that are disconnected, and grants that end by themselves. The release before shows a channel that is being
-- disconnected until that is done.

alter table connections
  -- Since when its user has disconnected it: what is open there is ended first, then its grant.
  add column deleted_at timestamptz,
  -- When its grant ends by itself; null: never, as far as we know.
  add column grant_ends_at timestamptz;

-- A channel may be connected again while it is still being disconnected.
drop index connections_by_account;
create unique index connections_by_account on connections (user_id, platform, account_id) where deleted_at is null;

-- Whoever has disconnected a channel is not told that it is lost.
drop trigger connections_lost on connections;
create trigger connections_lost before update of state on connections for each row
  when (new.state = 'grant_revoked' and old.state is distinct from new.state and new.deleted_at is null)
  execute function note_grant_gone();

-- Who else has connected a channel: its platform may end all grants of an account with one.
create index connections_by_channel on connections (platform, account_id);
