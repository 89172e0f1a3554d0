-- Who signs in and how, which applications act for them, and what happened: the tables of the authorization server.
-- Columns of auth_… and oauth_… are those that better-auth and its OAuth provider 1.7 read and write, in snake case.

alter table users
  add column email_verified boolean not null default false,
  add column image text,
  add column updated_at timestamptz not null default now(),
  -- Set by an operator: everything that the user and their applications hold ends with it.
  add column disabled_at timestamptz;
create index users_by_disabled on users (disabled_at) where disabled_at is not null;

alter table api_keys
  -- Null: all of them.
  add column scopes text[],
  add column last_used_at timestamptz;
create index api_keys_by_user on api_keys (user_id, created_at desc);

-- Keys that secrets are sealed with, themselves wrapped by a key that is in no database.
create table data_keys (
  id smallint primary key check (id between 1 and 255),
  wrapped_key bytea not null,
  created_at timestamptz not null default now()
);

-- Keys that tokens are signed with (ES256). A key is published some time before it signs, and some time after.
create table signing_keys (
  id text primary key,
  public_jwk jsonb not null,
  sealed_private_jwk bytea not null,
  signs_from timestamptz not null,
  published_until timestamptz
);

-- Access tokens are verified without asking anybody, so what ends them early has to be told to all who verify.
create table token_revocations (
  seq bigint generated always as identity primary key,
  user_id text not null,
  -- Null: of every application.
  client_id text,
  revoked_at timestamptz not null default now()
);
create index token_revocations_by_time on token_revocations (revoked_at);

create table security_events (
  seq bigint generated always as identity primary key,
  -- Null where an attempt named no user there is.
  user_id text references users on delete cascade,
  kind text not null,
  client_id text,
  address text,
  user_agent text,
  at timestamptz not null default now()
);
create index security_events_by_user on security_events (user_id, seq desc);
create index security_events_by_time on security_events (at);

create table auth_sessions (
  id text primary key,
  user_id text not null references users on delete cascade,
  token text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index auth_sessions_by_user on auth_sessions (user_id);

create table auth_credentials (
  id text primary key,
  user_id text not null references users on delete cascade,
  account_id text not null,
  provider_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index auth_credentials_by_user on auth_credentials (user_id);

create table auth_verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index auth_verifications_by_identifier on auth_verifications (identifier);

create table auth_rate_limits (
  id text primary key,
  key text not null unique,
  count integer not null,
  last_request bigint not null
);

create table oauth_clients (
  id text primary key,
  client_id text not null unique,
  client_secret text,
  client_discovery_id text,
  disabled boolean,
  skip_consent boolean,
  enable_end_session boolean,
  subject_type text,
  scopes jsonb,
  client_credentials_scopes jsonb,
  user_id text references users on delete cascade,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  name text,
  uri text,
  icon text,
  contacts jsonb,
  tos text,
  policy text,
  software_id text,
  software_version text,
  software_statement text,
  redirect_uris jsonb not null,
  post_logout_redirect_uris jsonb,
  backchannel_logout_uri text,
  backchannel_logout_session_required boolean,
  token_endpoint_auth_method text,
  application_type text,
  jwks text,
  jwks_uri text,
  grant_types jsonb,
  response_types jsonb,
  require_pkce boolean,
  dpop_bound_access_tokens boolean,
  reference_id text,
  metadata jsonb
);
create index oauth_clients_by_user on oauth_clients (user_id);
create index oauth_clients_by_age on oauth_clients (updated_at);

create table oauth_resources (
  id text primary key,
  identifier text not null unique,
  name text not null,
  access_token_ttl integer,
  refresh_token_ttl integer,
  signing_algorithm text,
  signing_key_id text,
  allowed_scopes jsonb,
  custom_claims jsonb,
  dpop_bound_access_tokens_required boolean,
  disabled boolean,
  created_at timestamptz,
  updated_at timestamptz,
  policy_version integer,
  metadata jsonb
);

create table oauth_client_resources (
  id text primary key,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  resource_id text not null references oauth_resources (identifier) on delete cascade,
  metadata jsonb,
  created_at timestamptz,
  unique (client_id, resource_id)
);
create index oauth_client_resources_by_resource on oauth_client_resources (resource_id);

create table oauth_refresh_tokens (
  id text primary key,
  token text not null unique,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  session_id text references auth_sessions on delete set null,
  user_id text not null references users on delete cascade,
  reference_id text,
  authorization_code_id text,
  resources jsonb,
  requested_user_info_claims jsonb,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  revoked timestamptz,
  rotated_at timestamptz,
  rotation_replay_response text,
  rotation_replay_expires_at timestamptz,
  auth_time timestamptz,
  confirmation jsonb,
  scopes jsonb not null
);
create index oauth_refresh_tokens_by_client on oauth_refresh_tokens (client_id);
create index oauth_refresh_tokens_by_session on oauth_refresh_tokens (session_id);
create index oauth_refresh_tokens_by_user on oauth_refresh_tokens (user_id);
create index oauth_refresh_tokens_by_code on oauth_refresh_tokens (authorization_code_id);

create table oauth_access_tokens (
  id text primary key,
  token text not null unique,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  session_id text references auth_sessions on delete set null,
  user_id text references users on delete cascade,
  reference_id text,
  authorization_code_id text,
  resources jsonb,
  requested_user_info_claims jsonb,
  refresh_id text references oauth_refresh_tokens on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  revoked timestamptz,
  confirmation jsonb,
  scopes jsonb not null
);
create index oauth_access_tokens_by_client on oauth_access_tokens (client_id);
create index oauth_access_tokens_by_session on oauth_access_tokens (session_id);
create index oauth_access_tokens_by_user on oauth_access_tokens (user_id);
create index oauth_access_tokens_by_code on oauth_access_tokens (authorization_code_id);
create index oauth_access_tokens_by_refresh on oauth_access_tokens (refresh_id);

create table oauth_consents (
  id text primary key,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  user_id text references users on delete cascade,
  reference_id text,
  resources jsonb,
  requested_user_info_claims jsonb,
  scopes jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index oauth_consents_by_client on oauth_consents (client_id);
create index oauth_consents_by_user on oauth_consents (user_id);

create table oauth_client_assertions (
  id text primary key,
  expires_at timestamptz not null
);

-- Whoever disables a user does it with one update, by hand if need be: nothing is to be forgotten.
create function end_access() returns trigger language plpgsql as $$
begin
  insert into token_revocations (user_id) values (old.id);
  if tg_op = 'UPDATE' then
    delete from auth_sessions where user_id = old.id;
    delete from oauth_access_tokens where user_id = old.id;
    delete from oauth_refresh_tokens where user_id = old.id;
    insert into security_events (user_id, kind) values (old.id, 'user_disabled');
  end if;
  return null;
end $$;
create trigger users_disabled after update of disabled_at on users
  for each row when (old.disabled_at is null and new.disabled_at is not null) execute function end_access();
create trigger users_deleted after delete on users for each row execute function end_access();
