-- Users, their API keys, and the invoices by which all credits come in.

create table users (
  id text primary key,
  email text not null unique,
  name text not null,
  default_stream_duration_seconds integer not null default 0 check (default_stream_duration_seconds >= 0),
  default_quality text not null default 'q_1080p',
  default_framerate text not null default 'f_30',
  stream_backend_edit boolean not null default false,
  created_at timestamptz not null default now()
);

create table api_keys (
  id text primary key,
  user_id text not null references users on delete cascade,
  name text not null,
  key_sha256 bytea not null unique,
  key_start text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);

create table invoices (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  type text not null check (type in ('credit_purchase', 'free_credits', 'adjustment')),
  method text not null check (method in ('card', 'crypto', 'grant')),
  state text not null check (state in ('pending', 'paid', 'cancelled', 'expired', 'refunded')),
  cost numeric(14, 4) not null check (cost >= 0),
  currency text not null,
  credits numeric(14, 4) not null,
  remaining_credits numeric(14, 4) not null check (remaining_credits >= 0),
  receipt_url text,
  created_at timestamptz not null default now()
);
create index invoices_by_user on invoices (user_id, seq desc);

-- A 2xx answer to a POST with an Idempotency-Key, replayed byte for byte for 24 hours.
create table idempotent_answers (
  user_id text not null references users on delete cascade,
  operation_id text not null,
  key text not null,
  request_sha256 bytea not null,
  status smallint not null,
  headers jsonb not null,
  body text not null,
  created_at timestamptz not null default now(),
  primary key (user_id, operation_id, key)
);
create index idempotent_answers_by_age on idempotent_answers (created_at);
