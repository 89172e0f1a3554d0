-- Webhooks are told once an upload has been looked through to its end. Of a content that somebody else's upload had
-- before, that is as soon as it is known which content the upload has. The release before makes no difference to it.

create function record_upload_looked_through(upload uploads) returns void language sql as $$
  select record_event(upload.user_id, 'upload.examined', upload.id, json_build_object(
    'uploadID', upload.id, 'name', upload.name, 'examinedShare', share, 'findingKinds', i.finding_kinds,
    'loudness', loudness))
  from inspections i where i.content_hash = upload.content_hash and state = 'completed'
$$;

create function record_content_inspected() returns trigger language plpgsql as $$
begin
  perform record_upload_looked_through(u) from uploads u where u.content_hash = new.content_hash;
  return null;
end $$;
create trigger inspection_completed after update of state on inspections for each row
  when (new.state = 'completed' and old.state <> 'completed') execute function record_content_inspected();

create function record_upload_of_inspected_content() returns trigger language plpgsql as $$
begin
  perform record_upload_looked_through(new);
  return null;
end $$;
-- By its name after `uploads_examined`, which tells that the upload can be played.
create trigger uploads_looked_through after update of content_hash on uploads for each row
  when (new.content_hash is not null and new.content_hash is distinct from old.content_hash)
  execute function record_upload_of_inspected_content();
