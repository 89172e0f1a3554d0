-- Webhooks are told what is about to end that an active stream is on the air.
create function record_stream_warned() returns trigger language plpgsql as $$
begin
  perform record_event(
    new.user_id, 'stream.warned', new.id, json_build_object('streamID', new.id, 'reason', new.state_reason));
  return null;
end $$;
create trigger streams_warned after update of state_reason on streams
  for each row when (
    new.state = 'active' and new.state_reason is not null and old.state_reason is distinct from new.state_reason)
  execute function record_stream_warned();
