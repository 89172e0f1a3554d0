-- What agents say once a second of all that they send: a row for each agent, however many streams it has.

-- Unlogged: after a crash agents say it again. What a stream ended with is in its own row.
create unlogged table agent_figures (
  agent_id text primary key references agents on delete cascade,
  -- For each replica a newline, ID/EPOCH, a space, and the figures as JSON on one line.
  lines text not null
);
-- Written far more often than read, and read by position.
alter table agent_figures alter column lines set storage external;

-- The newer of what is kept in the stream's row and what the holder of a claim says of it.
create function latest_stats(kept jsonb, agent text, replica text, claim_epoch integer) returns jsonb language sql stable as $$
  select stats
  from (
    select kept as stats
    union all
    select nullif(split_part(split_part(lines, E'\n' || replica || '/' || claim_epoch || ' ', 2), E'\n', 1), '')::jsonb
    from agent_figures where agent_id = agent) known
  where stats is not null order by stats ->> 'sampledAt' desc nulls last limit 1
$$;

-- Every renewal asks what is to be relayed, and whose successor the agent is.
create index outbox_by_time on outbox (visible_at) where dead_at is null;
create index replicas_by_successor on replicas (successor_id) where successor_id is not null;
