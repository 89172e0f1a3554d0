-- What was uploaded before there were inspections is looked through as well. This is a file of its own, as the one that
-- changes the table of uploads keeps even readers out until it is done. Here only writers wait.
lock table uploads in share row exclusive mode;
insert into inspections (content_hash, user_id, turn)
  select content_hash, min(user_id), row_number() over (partition by min(user_id) order by max(seq) desc)
  from uploads where content_hash is not null and probe_state = 'completed'
  group by content_hash
on conflict (content_hash) do nothing;
