-- What a refund or dispute was reported for, where another one had taken back the rest of its invoice already: when
-- that one ends, this is what it still has to take.
alter table payment_reversals add column amount_cents numeric(14, 4) check (amount_cents >= 0);
update payment_reversals r set amount_cents = reported.amount
from (
  select report ->> 'id' as id, max((report ->> 'amountCents')::numeric) as amount
  from payment_events, jsonb_array_elements(meaning) as report
  where report ->> 'kind' in ('refund', 'dispute') group by 1) reported
where reported.id = r.id;

-- Free credits go to an inbox once, and Gmail has one inbox for all spellings of an address.
insert into free_credit_grants (email_sha256, user_id, granted_at)
select
  sha256(convert_to(
    replace(split_part(split_part(lower(u.email), '@', 1), '+', 1), '.', '') || '@gmail.com', 'UTF8')),
  g.user_id, g.granted_at
from free_credit_grants g join users u on u.id = g.user_id
where lower(u.email) ~ '@(gmail|googlemail)\.com$'
on conflict do nothing;

-- Which application made a webhook: when the user disconnects it, its webhooks are disabled. Null: it was made with an
-- API key, or before this.
alter table webhooks add column client_id text;
create index webhooks_by_client on webhooks (client_id) where client_id is not null;

-- Applications could register addresses that the authorization server calls.
update oauth_clients set backchannel_logout_uri = null, backchannel_logout_session_required = null, jwks_uri = null
where backchannel_logout_uri is not null or jwks_uri is not null;
