-- Which streams an agent takes: who decides whether another could take one has to know. Null: agents of a release that did not say.
alter table agents add column backends text[];
