-- Sign-ins of devices without a browser (RFC 8628), for at most ten minutes each. Columns are those of better-auth's
-- plugin. The device holds the code with a keyed hash of it, so that a row opens nothing.
create table device_codes (
  id text primary key,
  device_code text not null unique,
  user_code text not null unique,
  status text not null check (status in ('pending', 'approved', 'denied')),
  -- The user who answered; null while pending.
  user_id text references users on delete cascade,
  client_id text not null references oauth_clients (client_id) on delete cascade,
  oauth_client_id text,
  scope text,
  resources jsonb,
  polling_interval integer,
  last_polled_at timestamptz,
  expires_at timestamptz not null
);
create index device_codes_by_client on device_codes (client_id);
create index device_codes_by_user on device_codes (user_id);
create index device_codes_by_end on device_codes (expires_at);

-- A user who is disabled also loses the devices that they have just confirmed.
create or replace function end_access() returns trigger language plpgsql as $$
begin
  insert into token_revocations (user_id) values (old.id);
  if tg_op = 'UPDATE' then
    delete from auth_sessions where user_id = old.id;
    delete from oauth_access_tokens where user_id = old.id;
    delete from oauth_refresh_tokens where user_id = old.id;
    delete from device_codes where user_id = old.id;
    insert into security_events (user_id, kind) values (old.id, 'user_disabled');
  end if;
  return null;
end $$;
