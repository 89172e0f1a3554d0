-- Prepared media is limited for each user: which of their uploads have been asked for, in which formats.

create table prepared_uploads (
  upload_id text not null references uploads on delete cascade,
  format text not null,
  user_id text not null references users on delete cascade,
  -- The length of the upload, as many times as an encoder has more to do than for 720p30.
  seconds bigint not null,
  primary key (upload_id, format)
);

create function count_prepared_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'preparedSeconds', sum(seconds)::bigint) from added group by user_id order by user_id;
  return null;
end $$;
create function count_prepared_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'preparedSeconds', -sum(seconds)::bigint) from gone group by user_id order by user_id;
  return null;
end $$;
create trigger prepared_uploads_added after insert on prepared_uploads referencing new table as added
  for each statement execute function count_prepared_added();
create trigger prepared_uploads_gone after delete on prepared_uploads referencing old table as gone
  for each statement execute function count_prepared_gone();

-- What is prepared already counts for all who have the content, as nobody knows who asked. So nothing that starts now
-- is refused later.
insert into prepared_uploads (upload_id, format, user_id, seconds)
  select u.id, r.format, u.user_id, ceil(coalesce(u.duration_seconds, 2) * case
      when r.format = 'sound' then 0.12
      else (case when r.format like 'q\_2160p%' then 8 when r.format like 'q\_1440p%' then 4
          when r.format like 'q\_1080p%' then 2 else 1 end) * (case when r.format like '%-f\_60%' then 2 else 1 end)
    end)::bigint
  from uploads u join renditions r on r.content_hash = u.content_hash
  where u.probe_state = 'completed'
  order by 1, 2;
