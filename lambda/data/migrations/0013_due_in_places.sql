-- Due times in places: the processes that fire them share out the users, so that no two read the same rows.
alter table due_times add column place smallint
  generated always as (coalesce(hashtextextended(user_id, 0) & 1, 0)::smallint + 1) stored;
create index due_times_in_place on due_times (kind, place, due_at) include (user_id, stream_id) where not resting;
drop index due_times_of_user;
drop index due_times_users;

-- Each work that fires due times has two places. Accounts have one.
insert into places (work, number)
select work, number
from unnest(array['starts', 'ends', 'checks', 'items']) as work cross join generate_series(1, 2) as number
union all select 'accounts', 1;
