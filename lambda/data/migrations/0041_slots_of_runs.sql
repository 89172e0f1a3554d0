-- Runs keep the slots that their outputs take of the user's limit, also before their replicas begin.

alter table streams add column run_slots double precision not null default 0;
-- A slot is the cores of an encoded 720p30 stream, or a twentieth of an agent's sending thread.
update streams s
set run_slots = (
  select coalesce(sum(greatest(r.cores / 0.5034, r.thread / 0.035)), 0) from replicas r
  where r.stream_id = s.id and r.wanted <> 'ended')
where status = 'ACTIVE';
