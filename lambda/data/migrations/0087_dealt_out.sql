-- What was lost is dealt out, a few users' streams at a time: two processes deal as fast as a database of two cores
-- can. More of them, or of those that report what others got, would only wait for each other.
delete from places where (work = 'recovery' and number > 2) or (work = 'takeover' and number > 6);

-- Who recovers keeps its place between its transactions, with all that it has found out.
alter table places add column holder text, add column held_until timestamptz;
