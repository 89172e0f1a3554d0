-- Outputs: where a stream is sent to, each with replicas of its own. The first one is the stream's destination_id.

create table outputs (
  id text primary key default 'out_' || replace(uuidv7()::text, '-', ''),
  seq bigint generated always as identity unique,
  stream_id text not null references streams on delete cascade,
  destination_id text not null,
  name text,
  enabled boolean not null default true,
  is_first boolean not null default false,
  -- Removed while its replicas had not ended: users do not see it any more, and the row goes once they have.
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  unique (stream_id, destination_id)
);
create unique index outputs_first on outputs (stream_id) where is_first;
create index outputs_further on outputs (stream_id) where enabled and not is_first and deleted_at is null;
create index outputs_by_destination on outputs (destination_id);

-- Whichever release sets a stream's destination, its first output follows. Streams on managed platforms have none.
create function keep_first_output() returns trigger language plpgsql as $$
begin
  if new.destination_id is null or new.stream_destination is not null then
    delete from outputs where stream_id = new.id and is_first;
  else
    delete from outputs where stream_id = new.id and destination_id = new.destination_id and not is_first;
    insert into outputs (stream_id, destination_id, is_first) values (new.id, new.destination_id, true)
    on conflict (stream_id) where is_first do update set destination_id = excluded.destination_id;
  end if;
  return null;
end $$;
create trigger streams_begun_with_output after insert on streams
  for each row when (new.destination_id is not null) execute function keep_first_output();
create trigger streams_output after update of destination_id, stream_destination on streams
  for each row when (old.destination_id is distinct from new.destination_id
    or old.stream_destination is distinct from new.stream_destination) execute function keep_first_output();
insert into outputs (stream_id, destination_id, is_first)
  select id, destination_id, true from streams where destination_id is not null and stream_destination is null;

-- Replicas of outputs beside the first are wanted `further`: the release before, which would send them to the first
-- one's address, passes them over. Those of the first one have no output_id, as in that release.
alter table replicas
  add column output_id text references outputs on delete cascade,
  -- The last figures that an agent reported; those of the first output are in the stream's row.
  add column stats jsonb,
  -- Nothing that is retried could help, so it has ended while other outputs go on.
  add column is_given_up boolean not null default false,
  -- Failures since it was last live, when it is tried again, and what happened last.
  add column failures integer not null default 0,
  add column next_attempt_at timestamptz,
  add column last_failure jsonb,
  drop constraint replicas_stream_id_role_key,
  drop constraint replicas_wanted_check,
  add constraint replicas_wanted_check check (wanted in ('live', 'further', 'ended'));
create unique index replicas_of_output on replicas (stream_id, coalesce(output_id, ''), role);
create index replicas_by_output on replicas (output_id) where output_id is not null;
-- The same indexes for the release before are dropped by the next one.
create index replicas_untaken on replicas (requested_at) where agent_id is null and wanted <> 'ended';
create index replicas_not_begun on replicas (requested_at) where agent_id is null and wanted <> 'ended' and epoch = 0;

-- An output of a stream that is not the dearest of its live ones costs less.
alter table live_intervals add column is_further boolean not null default false;

create function record_output_change() returns trigger language plpgsql as $$
declare
  of_user text := (
    select w.user_id from streams s join webhooks w on w.user_id = s.user_id
    where s.id = new.stream_id and w.enabled and 'stream.output_changed' = any (w.events) limit 1);
  output text;
begin
  if of_user is null then
    return null;
  end if;
  output := coalesce(new.output_id, (select id from outputs where stream_id = new.stream_id and is_first));
  if output is not null then
    perform record_event(of_user, 'stream.output_changed', new.stream_id, json_build_object(
      'streamID', new.stream_id, 'outputID', output, 'role', new.role, 'state', new.state, 'reason', new.reason));
  end if;
  return null;
end $$;
create trigger replicas_output_changed after update of state on replicas
  for each row when (new.state <> old.state and (old.state = 'live' or new.state in ('live', 'failing', 'ended')))
  execute function record_output_change();
