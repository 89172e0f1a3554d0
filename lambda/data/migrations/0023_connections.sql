-- Connections to channels on managed platforms, and the settings of the broadcasts there. The release before does not
-- know these tables.

create table connections (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  platform text not null check (platform in ('youtube', 'twitch', 'kick')),
  state text not null default 'pending'
    check (state in ('pending', 'ok', 'grant_revoked', 'scope_missing', 'live_not_enabled')),
  -- Null until somebody has consented.
  account_id text,
  title_cached text,
  live_url text,
  sealed_grant bytea,
  scopes text[] not null default '{}',
  -- When the platform last showed that the grant is good.
  verified_at timestamptz,
  created_at timestamptz not null default now(),
  check (state = 'pending' or account_id is not null)
);
create index connections_by_user on connections (user_id, seq desc);
-- Two connections to one channel would take each other's broadcasts for strangers'.
create unique index connections_by_account on connections (user_id, platform, account_id);

-- Consents that were asked for and not given yet. The state in the link is the only credential, so its hash alone is
-- kept.
create table platform_authorizations (
  state_sha256 bytea primary key,
  connection_id text not null references connections on delete cascade,
  sealed_verifier bytea not null,
  -- A path of ours.
  return_to text,
  expires_at timestamptz not null
);
create index platform_authorizations_by_connection on platform_authorizations (connection_id);
create index platform_authorizations_by_expiry on platform_authorizations (expires_at);

create table managed_settings (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  connection_id text not null references connections on delete cascade,
  name text not null,
  title_template text not null,
  description_template text not null default '',
  time_zone text not null,
  privacy text not null check (privacy in ('public', 'unlisted', 'private')),
  category_id text,
  tags text[] not null default '{}',
  made_for_kids boolean not null,
  latency text not null check (latency in ('normal', 'low', 'ultraLow')),
  dvr boolean not null,
  rotate_after_minutes integer,
  thumbnail_upload_id text,
  created_at timestamptz not null default now()
);
create index managed_settings_by_user on managed_settings (user_id, seq desc);
create index managed_settings_by_connection on managed_settings (connection_id);

create trigger connections_added after insert on connections referencing new table as added
  for each statement execute function count_added('connections');
create trigger connections_gone after delete on connections referencing old table as gone
  for each statement execute function count_gone('connections');
create trigger managed_settings_added after insert on managed_settings referencing new table as added
  for each statement execute function count_added('managedSettings');
create trigger managed_settings_gone after delete on managed_settings referencing old table as gone
  for each statement execute function count_gone('managedSettings');
