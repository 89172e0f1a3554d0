-- Shared tables: the outbox with its fair turns, keys that seal secrets, places, rate limits, and the record of
-- operators' commands.

-- user_of_command reads tables of later files.
set local check_function_bodies = off;

-- Keys that seal secrets. Each is wrapped by a key outside the database.
create table data_keys (
  id smallint primary key check (id between 1 and 255),
  wrapped_key bytea not null,
  created_at timestamptz not null default now()
);

-- Keys that seal the credentials of sources. The right to unwrap them is separate from that for data_keys.
create table source_keys (
  id smallint primary key check (id between 1 and 255),
  wrapped_key bytea not null,
  created_at timestamptz not null default now()
);

-- Number of requests of one subject and class within the current minute. Unlogged, because a crash may lose a minute,
-- and counting then writes no WAL.
create unlogged table request_windows (
  subject text not null,
  class text not null,
  began_at timestamptz not null default now(),
  requests integer not null default 1,
  primary key (subject, class)
) with (fillfactor = 50);

-- Rows that limit the transactions that do the same work at the same time: each transaction locks one row. Two
-- processes reassign lost replicas as fast as a database of two cores can. More processes, or more reporting agents,
-- would only wait for each other.
create table places (
  work text not null,
  number integer not null,
  -- A process that recovers replicas keeps its place between its transactions, with all rows that it has read.
  holder text,
  held_until timestamptz,
  primary key (work, number)
);
insert into places (work, number)
select 'recovery', generate_series(1, 2) union all select 'takeover', generate_series(1, 6);

-- Commands for other processes, written in the transaction that causes them. Turns are fair: a command gets the turn
-- after the last waiting command of its user, and a user without waiting commands joins at the current turn. So a
-- user's thousandth command comes after the first one of every other user.
create table outbox (
  id bigint generated always as identity primary key,
  queue text not null check (queue in
    ('publish-ffmpeg', 'publish-manifest', 'media', 'imports', 'timers', 'webhooks', 'platforms')),
  body jsonb not null,
  created_at timestamptz not null default now(),
  visible_at timestamptz not null default now(),
  receives integer not null default 0,
  receipt uuid,
  dead_at timestamptz,
  timer_id text unique,
  -- The process that received the command, on one machine. If it dies, the command is delivered again at once.
  consumer text,
  -- Null: the command has no user, and has a turn like the only command of a user.
  user_id text,
  turn bigint not null default 0,
  -- The trace of the transaction that wrote the row (W3C traceparent); null without tracing.
  traceparent text default nullif(current_setting('loop.traceparent', true), '')
);
create index outbox_due on outbox (queue, visible_at) where dead_at is null;
-- Every renewal of an agent reads the due commands of all queues.
create index outbox_by_time on outbox (visible_at) where dead_at is null;
create index outbox_by_turn on outbox (queue, turn, id) where dead_at is null;
create index outbox_by_user on outbox (queue, user_id, turn) where dead_at is null;
-- The turns of all queues, as an expression: with the plain column, Postgres used this index to read the next command
-- of one queue, and read past the 10,000 commands of another.
create index outbox_in_all_queues on outbox ((turn + 0), id) where dead_at is null;
create index outbox_of_incidents on outbox (visible_at)
  where queue = 'webhooks' and body ? 'incidents' and dead_at is null;

-- The user of a command. Every command names a row of a user.
create function user_of_command(body jsonb) returns text language sql stable as $$
  select case
    when body ? 'uploadID' then (select user_id from uploads where id = body ->> 'uploadID')
    when body ? 'playlistID' then (select user_id from playlists where id = body ->> 'playlistID')
    when body ? 'streamID' then (select user_id from streams where id = body ->> 'streamID')
    when body ? 'webhookID' then (select user_id from webhooks where id = body ->> 'webhookID')
    when body ? 'incidentsOf' then body ->> 'incidentsOf'
    when body ? 'alertChannelID' then (select user_id from alert_channels where id = body ->> 'alertChannelID')
    when body ? 'connectionID' then (select user_id from connections where id = body ->> 'connectionID')
    when body ? 'notificationID' then (select user_id from notifications where id = (body ->> 'notificationID')::bigint)
    when body ? 'sourceID' then (select user_id from sources where id = body ->> 'sourceID')
    -- As uploadKey of domain/media/object-keys.ts makes it.
    when body ->> 'objectKey' like 'uploads/%' then split_part(body ->> 'objectKey', '/', 2)
  end $$;

create function take_turn() returns trigger language plpgsql as $$
declare
  served bigint;
begin
  new.user_id := coalesce(new.user_id, user_of_command(new.body));
  -- Without commands that are under way, which had their turns, and commands for later, which have not joined yet.
  select turn into served from outbox
  where queue = new.queue and dead_at is null and receipt is null and visible_at <= now() order by turn, id limit 1;
  if served is null then
    select turn into served from outbox where queue = new.queue and dead_at is null order by turn, id limit 1;
  end if;
  new.turn := greatest(
    coalesce(served, 0),
    (select max(turn) + 1 from outbox where queue = new.queue and dead_at is null and user_id = new.user_id));
  return new;
end $$;
create trigger outbox_turn before insert on outbox for each row execute function take_turn();

create function notify_outbox() returns trigger language plpgsql as $$
begin
  perform pg_notify('outbox', new.queue);
  return null;
end $$;
create trigger outbox_notify after insert or update of visible_at on outbox
  for each row when (new.receipt is null) execute function notify_outbox();

-- Commands of operators. A command is written before it is executed, and its outcome in the transaction that executes
-- it. So a command without an outcome did nothing.
create table operator_commands (
  -- The tool chooses the id, so that a command that is sent twice is executed once.
  id text primary key,
  seq bigint generated always as identity unique,
  at timestamptz not null default clock_timestamp(),
  -- In AWS the ARN that AWS reports, otherwise the user of the machine.
  operator text not null,
  -- The right that was used: the ARN of the session of the operators' role, or the folder of the local run.
  via text not null,
  words text[] not null,
  options jsonb not null,
  reason text,
  dry_run boolean not null
);
create table operator_outcomes (
  command_id text primary key references operator_commands,
  at timestamptz not null default clock_timestamp(),
  outcome text not null check (outcome in ('done', 'dry_run', 'refused', 'failed')),
  says text not null,
  -- Ids of the users, contents and streams that the command concerns.
  subjects text[] not null default '{}'
);
create index operator_outcomes_by_subject on operator_outcomes using gin (subjects);

create function refuse_forgetting() returns trigger language plpgsql as $$
begin
  raise exception 'what operators did is only added to';
end $$;
create trigger operator_commands_kept before update or delete or truncate on operator_commands
  for each statement execute function refuse_forgetting();
create trigger operator_outcomes_kept before update or delete or truncate on operator_outcomes
  for each statement execute function refuse_forgetting();
