-- What is due of each user is read from its index: to number the 10,000 schedules of one user that are due at once took
-- 13 ms, each time that five of them were fired.

create index due_times_of_user on due_times (user_id, due_at, stream_id) where not resting;
create index due_times_users on due_times (due_at, user_id) where not resting;
drop index due_times_awake;
