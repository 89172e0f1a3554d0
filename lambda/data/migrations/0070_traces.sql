-- Which trace something belongs to (W3C traceparent): whoever has a transaction within a trace says so to Postgres, and
-- rows that others act on take it with them. Null while nobody traces.

alter table outbox add column traceparent text default nullif(current_setting('loop.traceparent', true), '');
alter table replicas add column traceparent text default nullif(current_setting('loop.traceparent', true), '');
