-- Destinations that are not RTMP. Their addresses are in rtmp_url and backup_rtmp_url too, and the scheme says what
-- they are.

alter table destinations
  -- How long a listener of SRT waits for what was lost; null for other destinations.
  add column srt_latency_ms integer,
  add column srt_stream_id text,
  add column sealed_srt_passphrase bytea;
