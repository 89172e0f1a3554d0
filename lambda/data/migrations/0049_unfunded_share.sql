-- Streams of users who never paid hold a part of the fleet together, and wait behind those of users who did.

-- The share is that of the agent that claimed the replica last. Replicas of the previous release count as funded.
alter table replicas
  add column is_unfunded boolean not null default false,
  add column share double precision not null default 0;

-- Claims read funded users first. With an index in another order, Postgres would sort all that waits.
drop index replicas_untaken, replicas_not_begun;
create index replicas_untaken on replicas (is_unfunded, requested_at) where agent_id is null and wanted <> 'ended';
create index replicas_not_begun on replicas (is_unfunded, requested_at)
  where agent_id is null and wanted <> 'ended' and epoch = 0;

create index replicas_of_unfunded on replicas (backend) where is_unfunded and agent_id is not null;
