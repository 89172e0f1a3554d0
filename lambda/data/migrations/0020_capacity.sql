-- What a replica costs an agent, and what agents have: in place of slots, which say the same of every machine.

-- Null in rows of the release before, which counts slots; `slots` is still written for its agents.
alter table replicas
  add column cores double precision,
  add column cores_beside_gpu double precision,
  add column thread double precision,
  add column memory_mib double precision,
  add column network_mbps double precision,
  add column gpu_megapixels double precision;

-- What an agent may use of its machine; null for agents of the release before.
alter table agents
  add column capacity jsonb,
  -- The part of it that its streams take, at its last renewal.
  add column used_share double precision not null default 0,
  -- Why it takes nothing more although it may have room; null while it keeps up.
  add column behind_reason text;
