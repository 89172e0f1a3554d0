-- Machines on demand: an agent that encodes where no machine stands ready says how long one takes to come for a stream
-- that is too large for the agent. Null: where it is, no machine comes for a stream that waits.
alter table agents add column machine_seconds integer check (machine_seconds > 0);
