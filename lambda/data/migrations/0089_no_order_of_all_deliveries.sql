-- Deliveries are asked for by their webhook. Where one has few that wait, Postgres read those of all webhooks in this
-- index instead, in their order, until it had found enough of the one.
alter table webhook_deliveries drop constraint webhook_deliveries_seq_key;
