-- Hosts of webhooks: how often in a row nobody answered there, whoever's webhooks they were.

-- Host and port, as in 'https://example.com:8443/path'.
create function host_of_url(url text) returns text language sql immutable as $$
  select lower(substring(url from '^[A-Za-z]+://([^/?#]*)'))
$$;
create index webhooks_by_host on webhooks (host_of_url(url));

-- A host has a row from its first silence to its next answer.
create table webhook_hosts (
  host text primary key,
  -- Counted once for all senders that are there at the same time.
  silences integer not null default 1,
  -- Until then webhooks that have taken nothing lately are left alone.
  silent_until timestamptz not null
);
