-- Since when a replica has been failing, over all agents that held it: one that is off the air for minutes gives its
-- slots back, and one that is for hours is given up. Null while it is live, and until it was first tried.
alter table replicas add column failing_since timestamptz;
