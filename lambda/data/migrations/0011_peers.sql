-- Agents that ask each other whether the database is away or they are; replicas apart from each other, and handed over before they are let go.

alter table agents
  -- Where other agents can ask this one; null where they cannot.
  add column peer_url text,
  -- The part of the region that it would be lost with.
  add column zone text,
  -- Since when it has renewed its lease without ever losing it.
  add column renewing_since timestamptz not null default now(),
  -- It hands over what it holds, and takes nothing more.
  add column is_draining boolean not null default false;

alter table replicas
  -- The holder wants to let go of it, once another has it.
  add column is_offered boolean not null default false,
  -- The agent that makes its connection, to the other of the destination's URLs, while the holder still sends.
  add column successor_id text references agents on delete set null,
  -- Which of the destination's two URLs the holder publishes to, where the replica is the only one of its stream.
  add column at_backup_url boolean not null default false;
create index replicas_offered on replicas (backend, requested_at) where is_offered;

-- Who was given the command, on one machine: when they die, it is delivered again at once.
alter table outbox add column consumer text;
