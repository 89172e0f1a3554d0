-- A move of a stream changes its state, and as two indexes asked for states, Postgres wrote all thirteen of the table
-- anew with each move. They ask for the status now, which is the same for all states in which a stream is sent.
-- The release before reads the table for what these are about: once a minute, by the sweep.
drop index streams_with_pending_sound;
drop index streams_with_joins;
create index streams_with_pending_sound on streams (id) where pending_sound is distinct from 0 and status = 'ACTIVE';
create index streams_with_joins on streams (id) where pending_joins is not null and status = 'ACTIVE';

-- Those of 0026_takeover.sql, which were left for the release before the outputs.
drop index replicas_waiting;
drop index replicas_to_begin;
