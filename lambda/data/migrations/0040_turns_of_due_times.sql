-- Whose each due time is: what is due is handed out in turns, and to ask the stream of each of 10,000 for its user takes
-- longer than firing five of them.

alter table due_times add column user_id text;

create function set_user_of_due_time() returns trigger language plpgsql as $$
begin
  new.user_id := (select user_id from streams where id = new.stream_id);
  return new;
end $$;
create trigger due_times_user before insert on due_times for each row execute function set_user_of_due_time();

update due_times d set user_id = s.user_id from streams s where s.id = d.stream_id;
