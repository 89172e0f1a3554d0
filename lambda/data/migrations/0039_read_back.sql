-- What platforms tell us of channels and of live broadcasts, and what users are told of it. The release before writes
-- none of it.

alter table broadcasts
  -- When to look at it next; null: it has not been looked at since it went live.
  add column look_at timestamptz,
  -- Since when the platform has said otherwise than our own evidence.
  add column disagrees_since timestamptz;
create index broadcasts_live on broadcasts (coalesce(look_at, '-infinity')) where phase = 'live';
create index broadcasts_to_count on broadcasts (coalesce(viewers_observed_at, '-infinity')) where phase = 'live';

-- Nobody has looked at these since they were connected.
update connections set verify_at = now() where state in ('ok', 'live_not_enabled');

create index connections_by_verification on connections (verify_at) where state <> 'pending';
create index connections_of_account on connections (platform, account_id);

-- Events of platforms by their ids, as each may come twice. They are deleted once they are too old to be taken.
create table platform_events (
  platform text not null,
  id text not null,
  received_at timestamptz not null default now(),
  primary key (platform, id)
);
create index platform_events_by_age on platform_events (received_at);

-- When a grant is found to be gone, its user is told once. What we know of the channel is deleted within a week.
create function note_grant_gone() returns trigger language plpgsql as $$
begin
  new.verify_at := now() + interval '6 days';
  insert into notifications (user_id, kind, reference, detail, due_at)
  values (new.user_id, 'channel_lost', new.id || ' ' || coalesce(extract(epoch from new.verified_at)::text, ''),
    jsonb_build_object('connectionID', new.id, 'platform', new.platform, 'title', new.title_cached), now())
  on conflict (user_id, kind, reference) do nothing;
  return new;
end $$;
create trigger connections_lost before update of state on connections for each row
  when (new.state = 'grant_revoked' and old.state is distinct from new.state) execute function note_grant_gone();

create or replace function record_notification() returns trigger language plpgsql as $$
declare
  event_type text := case new.kind
    when 'credits_end_within_day' then 'credits.low' when 'credits_end_within_hour' then 'credits.low'
    when 'credits_exhausted' then 'credits.exhausted'
    when 'streams_stopped_without_credits' then 'credits.streams_stopped'
    when 'channel_lost' then 'connection.lost' when 'platform_disagrees' then 'stream.platform_disagrees'
    when 'payment_refunded' then 'payment.refunded' when 'payment_disputed' then 'payment.disputed' end;
begin
  if event_type = 'credits.low' then
    perform record_event(new.user_id, event_type, new.user_id, json_build_object(
      'within', case new.kind when 'credits_end_within_day' then 'day' else 'hour' end,
      'creditsLeft', new.detail -> 'creditsLeft', 'creditsExhaustedAt', new.detail -> 'creditsExhaustedAt'));
  elsif event_type is not null then
    perform record_event(new.user_id, event_type,
      coalesce(new.detail ->> 'streamID', new.detail ->> 'connectionID', new.user_id), new.detail::json);
  end if;
  insert into outbox (queue, body, visible_at)
    values ('webhooks', jsonb_build_object('notificationID', new.id), greatest(now(), new.due_at));
  return null;
end $$;
