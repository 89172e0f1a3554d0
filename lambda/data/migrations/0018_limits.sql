-- Limits: what operators allow a user instead of what domain/limits.ts says, and what each user has of what is limited.
-- The names are those of domain/limits.ts.

create table limit_overrides (
  user_id text not null references users on delete cascade,
  limit_name text not null,
  allowed bigint not null check (allowed >= 0),
  primary key (user_id, limit_name)
);

-- Counted by the triggers below, in the transaction of the change, whichever release made it. Whoever is about to make
-- something locks the row, so of two requests at once at the edge one is refused. What is missing counts as 0.
create table limit_use (
  user_id text not null references users on delete cascade,
  limit_name text not null,
  used bigint not null default 0,
  primary key (user_id, limit_name)
) with (fillfactor = 50);

create function note_use(of_user text, of_limit text, change bigint) returns void language plpgsql as $$
begin
  if change > 0 then
    insert into limit_use as u (user_id, limit_name, used) values (of_user, of_limit, change)
    on conflict (user_id, limit_name) do update set used = u.used + excluded.used;
  elsif change < 0 then
    -- Where the user is being deleted, there may be no row any more.
    update limit_use set used = used + change where user_id = of_user and limit_name = of_limit;
  end if;
end $$;

-- How many bytes may still come. Releases that do not say it are not limited by it.
alter table uploads add column expected_bytes bigint not null default 0;

create function stored_bytes_of(u uploads) returns bigint language sql immutable as $$
  select case when u.uploaded then coalesce(u.size_bytes, 0) else 0 end $$;
create function incoming_bytes_of(u uploads) returns bigint language sql immutable as $$
  select case when not u.uploaded and u.probe_state = 'pending' then u.expected_bytes else 0 end $$;
create function items_of(p playlists) returns bigint language sql immutable as $$
  select greatest(jsonb_array_length(p.draft -> 'items'), coalesce(jsonb_array_length(p.live -> 'items'), 0)) $$;

-- Rows that come and go are counted by the statement: a row of limit_use that is updated once for each of 100,000 rows
-- would be slower with each.
create function count_uploads_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'uploads', count(*)), note_use(user_id, 'storedBytes', sum(stored_bytes_of(u))::bigint),
    note_use(user_id, 'incomingBytes', sum(incoming_bytes_of(u))::bigint)
  from added u group by user_id order by user_id;
  return null;
end $$;
create function count_uploads_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'uploads', -count(*)), note_use(user_id, 'storedBytes', -sum(stored_bytes_of(u))::bigint),
    note_use(user_id, 'incomingBytes', -sum(incoming_bytes_of(u))::bigint)
  from gone u group by user_id order by user_id;
  return null;
end $$;
create function count_upload_changed() returns trigger language plpgsql as $$
begin
  perform note_use(new.user_id, 'storedBytes', stored_bytes_of(new) - stored_bytes_of(old));
  perform note_use(new.user_id, 'incomingBytes', incoming_bytes_of(new) - incoming_bytes_of(old));
  return null;
end $$;
create trigger uploads_added after insert on uploads referencing new table as added
  for each statement execute function count_uploads_added();
create trigger uploads_gone after delete on uploads referencing old table as gone
  for each statement execute function count_uploads_gone();
create trigger uploads_changed after update of uploaded, size_bytes, probe_state, expected_bytes on uploads
  for each row execute function count_upload_changed();

create function count_playlists_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'playlists', count(*)), note_use(user_id, 'playlistItems', sum(items_of(p))::bigint)
  from added p group by user_id order by user_id;
  return null;
end $$;
create function count_playlists_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'playlists', -count(*)), note_use(user_id, 'playlistItems', -sum(items_of(p))::bigint)
  from gone p group by user_id order by user_id;
  return null;
end $$;
create function count_playlist_changed() returns trigger language plpgsql as $$
begin
  perform note_use(new.user_id, 'playlistItems', items_of(new) - items_of(old));
  return null;
end $$;
create trigger playlists_added after insert on playlists referencing new table as added
  for each statement execute function count_playlists_added();
create trigger playlists_gone after delete on playlists referencing old table as gone
  for each statement execute function count_playlists_gone();
create trigger playlists_changed after update of draft, live on playlists
  for each row execute function count_playlist_changed();

-- For tables of which each row counts as one of the limit that the trigger names.
create function count_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, tg_argv[0], count(*)) from added group by user_id order by user_id;
  return null;
end $$;
create function count_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, tg_argv[0], -count(*)) from gone group by user_id order by user_id;
  return null;
end $$;
create trigger streams_added after insert on streams referencing new table as added
  for each statement execute function count_added('streams');
create trigger streams_gone after delete on streams referencing old table as gone
  for each statement execute function count_gone('streams');
create trigger webhooks_added after insert on webhooks referencing new table as added
  for each statement execute function count_added('webhooks');
create trigger webhooks_gone after delete on webhooks referencing old table as gone
  for each statement execute function count_gone('webhooks');

-- Only those that streams can start on.
create function count_destinations() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.archived_at is null then perform note_use(old.user_id, 'destinations', -1); end if;
  if tg_op <> 'DELETE' and new.archived_at is null then perform note_use(new.user_id, 'destinations', 1); end if;
  return null;
end $$;
create trigger destinations_counted after insert or delete on destinations
  for each row execute function count_destinations();
create trigger destinations_archived after update of archived_at on destinations
  for each row when ((old.archived_at is null) <> (new.archived_at is null)) execute function count_destinations();

create function count_imports() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.state in ('pending', 'downloading') then
    perform note_use(old.user_id, 'imports', -1);
  end if;
  if tg_op <> 'DELETE' and new.state in ('pending', 'downloading') then
    perform note_use(new.user_id, 'imports', 1);
  end if;
  return null;
end $$;
create trigger imports_counted after insert or delete on imports for each row execute function count_imports();
create trigger imports_moved after update of state on imports
  for each row when (old.state <> new.state) execute function count_imports();

create function count_top_ups() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.state = 'pending' then perform note_use(old.user_id, 'pendingTopUps', -1); end if;
  if tg_op <> 'DELETE' and new.state = 'pending' then perform note_use(new.user_id, 'pendingTopUps', 1); end if;
  return null;
end $$;
create trigger invoices_counted after insert or delete on invoices for each row execute function count_top_ups();
create trigger invoices_moved after update of state on invoices
  for each row when (old.state <> new.state) execute function count_top_ups();

create function count_api_keys() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and new.revoked_at is null then perform note_use(new.user_id, 'apiKeys', 1);
  elsif tg_op = 'DELETE' and old.revoked_at is null then perform note_use(old.user_id, 'apiKeys', -1);
  elsif tg_op = 'UPDATE' then
    perform note_use(new.user_id, 'apiKeys', (new.revoked_at is null)::int - (old.revoked_at is null)::int);
  end if;
  return null;
end $$;
create trigger api_keys_counted after insert or delete or update of revoked_at on api_keys
  for each row execute function count_api_keys();

-- The resource that an answer showed which was too large to be kept: it is read again where the answer is asked for
-- once more. Its body then is only `{"id": …}`.
alter table idempotent_answers add column is_reread boolean not null default false;

create function count_answers_added() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'keptAnswers', count(*)), note_use(user_id, 'keptAnswerBytes', sum(octet_length(body)))
  from added group by user_id order by user_id;
  return null;
end $$;
create function count_answers_gone() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'keptAnswers', -count(*)), note_use(user_id, 'keptAnswerBytes', -sum(octet_length(body)))
  from gone group by user_id order by user_id;
  return null;
end $$;
create function count_answers_changed() returns trigger language plpgsql as $$
begin
  perform note_use(user_id, 'keptAnswerBytes', sum(bytes)::bigint)
  from (
    select user_id, octet_length(body) as bytes from added
    union all select user_id, -octet_length(body) from gone) changed
  group by user_id order by user_id;
  return null;
end $$;
create trigger answers_added after insert on idempotent_answers referencing new table as added
  for each statement execute function count_answers_added();
create trigger answers_gone after delete on idempotent_answers referencing old table as gone
  for each statement execute function count_answers_gone();
create trigger answers_changed after update on idempotent_answers referencing old table as gone new table as added
  for each statement execute function count_answers_changed();

-- Running streams are few, so that they are counted where somebody asks.
create index streams_running on streams (user_id) where status = 'ACTIVE';

-- What there is already. Writes wait until the migration is over, so none is counted twice or not at all.
lock table uploads, playlists, streams, webhooks, destinations, imports, invoices, api_keys, idempotent_answers
  in share row exclusive mode;
insert into limit_use (user_id, limit_name, used)
  select user_id, limit_name, sum(amount) from (
    select user_id, 'uploads' as limit_name, 1::bigint as amount from uploads
    union all select user_id, 'storedBytes', stored_bytes_of(u) from uploads u
    union all select user_id, 'playlists', 1 from playlists
    union all select user_id, 'playlistItems', items_of(p) from playlists p
    union all select user_id, 'streams', 1 from streams
    union all select user_id, 'webhooks', 1 from webhooks
    union all select user_id, 'destinations', 1 from destinations where archived_at is null
    union all select user_id, 'imports', 1 from imports where state in ('pending', 'downloading')
    union all select user_id, 'pendingTopUps', 1 from invoices where state = 'pending'
    union all select user_id, 'apiKeys', 1 from api_keys where revoked_at is null
    union all select user_id, 'keptAnswers', 1 from idempotent_answers
    union all select user_id, 'keptAnswerBytes', octet_length(body) from idempotent_answers) there
  group by user_id, limit_name;
