-- Users, their limits and API keys, and the tables of the authorization server.

create table users (
  id text primary key,
  email text not null unique,
  name text not null,
  default_stream_duration_seconds integer not null default 0 check (default_stream_duration_seconds >= 0),
  default_quality text not null default 'q_1080p',
  default_framerate text not null default 'f_30',
  stream_backend_edit boolean not null default false,
  created_at timestamptz not null default now(),
  email_verified boolean not null default false,
  image text,
  updated_at timestamptz not null default now(),
  -- An operator sets it. It ends all access of the user and of their applications.
  disabled_at timestamptz,
  -- On hold: the user may sign in and read, and sees the reason.
  held_at timestamptz,
  held_reason text,
  -- Whether the account is paused: its streams are stopped, and their due times wait.
  is_at_rest boolean generated always as (disabled_at is not null or held_at is not null) virtual
);
create index users_by_disabled on users (disabled_at) where disabled_at is not null;
create index users_by_held on users (held_at) where held_at is not null;

-- Limits. Their names are those of domain/shared/limits.ts.

-- Limits that operators set for one user, instead of those of domain/shared/limits.ts.
create table limit_overrides (
  user_id text not null references users on delete cascade,
  limit_name text not null,
  allowed bigint not null check (allowed >= 0),
  primary key (user_id, limit_name)
);

-- The current use of each limit; a missing row counts as 0. Triggers update it in the transaction of the change. A
-- request for room locks the rows, so that of two requests at the edge of a limit one is refused.
create table limit_use (
  user_id text not null references users on delete cascade,
  limit_name text not null,
  used bigint not null default 0,
  primary key (user_id, limit_name)
) with (fillfactor = 50);

-- Limits that one change may affect together, in the order in which they are locked. They are locked together, because
-- otherwise two transactions of one user could deadlock: one requests room of one limit while the triggers of the other
-- update another limit first.
create function counted_together(of_limit text) returns text[] language sql immutable as $$
  select coalesce((
    select names from (values
      (array['captionBytes', 'imports', 'incomingBytes', 'multipartUploads', 'storedBytes', 'uploads']),
      (array['keptAnswerBytes', 'keptAnswers']),
      (array['playlistItems', 'playlists'])) families (names)
    where of_limit = any (names)), array[of_limit]) $$;

-- Locks the use of limits, and of the limits that belong to them, until the transaction ends.
create function lock_uses(of_user text, of_limits text[]) returns void language plpgsql as $$
declare
  names text[] := array(
    select distinct name collate "C" from unnest(of_limits) wanted, unnest(counted_together(wanted)) name order by 1);
begin
  insert into limit_use (user_id, limit_name) select of_user, unnest(names) on conflict do nothing;
  perform from limit_use where user_id = of_user and limit_name = any (names)
  order by limit_name collate "C" for no key update;
end $$;

create function note_use(of_user text, of_limit text, change bigint) returns void language plpgsql as $$
begin
  if change = 0 then return; end if;
  -- If the user is being deleted, the rows may be gone, and none may be made.
  perform from limit_use where user_id = of_user and limit_name = any (counted_together(of_limit))
  order by limit_name collate "C" for no key update;
  if change > 0 then
    insert into limit_use as u (user_id, limit_name, used) values (of_user, of_limit, change)
    on conflict (user_id, limit_name) do update set used = u.used + excluded.used;
  else
    update limit_use set used = used + change where user_id = of_user and limit_name = of_limit;
  end if;
end $$;

-- Two functions for tables in which each row counts against the limit that the trigger names. They count once per
-- statement, because 100,000 updates of one row of limit_use would get slower and slower.
create function count_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, tg_argv[0], count(*)) from added group by user_id order by user_id;
  return null;
end $$;
create function count_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, tg_argv[0], -count(*)) from gone group by user_id order by user_id;
  return null;
end $$;

create table api_keys (
  id text primary key,
  user_id text not null references users on delete cascade,
  name text not null,
  key_sha256 bytea not null unique,
  key_start text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Null: all scopes.
  scopes text[],
  last_used_at timestamptz
);
create index api_keys_by_user on api_keys (user_id, created_at desc);

create function count_api_keys() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and new.revoked_at is null then perform note_use(new.user_id, 'apiKeys', 1);
  elsif tg_op = 'DELETE' and old.revoked_at is null then perform note_use(old.user_id, 'apiKeys', -1);
  elsif tg_op = 'UPDATE' then
    perform note_use(new.user_id, 'apiKeys', (new.revoked_at is null)::int - (old.revoked_at is null)::int);
  end if;
  return null;
end $$;
create trigger api_keys_counted after insert or delete or update of revoked_at on api_keys
  for each row execute function count_api_keys();

-- 2xx answers to POST requests with an Idempotency-Key, replayed byte for byte for 24 hours.
create table idempotent_answers (
  user_id text not null references users on delete cascade,
  operation_id text not null,
  key text not null,
  request_sha256 bytea not null,
  status smallint not null,
  headers jsonb not null,
  body text not null,
  created_at timestamptz not null default now(),
  -- The answer showed a resource and was too large to store: its body is only `{"id": …}`, and a replay reads the
  -- resource again.
  is_reread boolean not null default false,
  primary key (user_id, operation_id, key)
);
create index idempotent_answers_by_age on idempotent_answers (created_at);

create function count_answers_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'keptAnswerBytes', sum(octet_length(body))), note_use(user_id, 'keptAnswers', count(*))
  from added group by user_id order by user_id;
  return null;
end $$;
create function count_answers_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'keptAnswerBytes', -sum(octet_length(body))), note_use(user_id, 'keptAnswers', -count(*))
  from gone group by user_id order by user_id;
  return null;
end $$;
create function count_answers_changed() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'keptAnswerBytes', sum(bytes)::bigint)
  from (
    select user_id, octet_length(body) as bytes from added
    union all select user_id, -octet_length(body) from gone) changed
  group by user_id order by user_id;
  return null;
end $$;
create trigger answers_added after insert on idempotent_answers referencing new table as added
  for each statement execute function count_answers_added();
create trigger answers_gone after delete on idempotent_answers referencing old table as gone
  for each statement execute function count_answers_gone();
create trigger answers_changed after update on idempotent_answers referencing old table as gone new table as added
  for each statement execute function count_answers_changed();

-- The authorization server. Columns of auth_… and oauth_… are those of better-auth and its OAuth provider 1.7, in snake
-- case.

-- Keys that sign tokens (ES256). Each is published for some time before and after the time in which it signs.
create table signing_keys (
  id text primary key,
  public_jwk jsonb not null,
  sealed_private_jwk bytea not null,
  signs_from timestamptz not null,
  published_until timestamptz
);

-- Servers verify access tokens without the database. They read here which tokens ended early.
create table token_revocations (
  seq bigint generated always as identity primary key,
  user_id text not null,
  -- Null: the tokens of all applications.
  client_id text,
  revoked_at timestamptz not null default now()
);
create index token_revocations_by_time on token_revocations (revoked_at);

create table security_events (
  seq bigint generated always as identity primary key,
  -- Null if the attempt named no existing user.
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

-- Disabling a user takes one update, even by hand: this trigger ends all access.
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

-- Disabling, holding or waking a user takes one update, even by hand. The account becomes due now, and then its streams
-- stop or its schedules wake. Only the account is locked here, because streams are locked before users. The due time is
-- truncated to milliseconds, the precision of the column: Postgres would round it up, so it would be due too late.
create function change_rest() returns trigger language plpgsql as $$
begin
  insert into billing_accounts (user_id, due_at) values (new.id, date_trunc('milliseconds', now()))
  on conflict (user_id) do update set due_at = excluded.due_at;
  if new.disabled_at is null and new.held_at is null then
    with woken as (
      update webhook_deliveries set asked_at = now()
      where state = 'pending' and webhook_id in (select id from webhooks where user_id = new.id and enabled)
      returning webhook_id)
    insert into outbox (queue, body)
    select distinct 'webhooks', jsonb_build_object('webhookID', webhook_id) from woken;
    insert into outbox (queue, body)
    select 'imports', jsonb_build_object('uploadID', upload_id) from imports
    where user_id = new.id and state in ('pending', 'downloading') and lease_expires_at is null;
  end if;
  return null;
end $$;
create trigger users_rest after update of disabled_at, held_at on users for each row
  when ((old.disabled_at is null and old.held_at is null) <> (new.disabled_at is null and new.held_at is null))
  execute function change_rest();
