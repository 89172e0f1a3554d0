-- Live inputs whose sessions are lost by silence or black pictures.

-- `LostAfter` of the domain. The previous release loses no session so.
alter table live_inputs add column lost_after jsonb not null
  default '{"silenceSeconds": null, "blackSeconds": null}';
-- The latest losses of a running session by its signal, the oldest first: `SignalLoss` of the domain.
alter table live_sessions add column losses jsonb not null default '[]';
