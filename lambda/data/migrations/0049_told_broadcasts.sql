-- What was told of broadcasts, and when.

alter table broadcasts
  -- When the platform was told last what it is called.
  add column described_at timestamptz,
  -- The upload of the picture that was set. In place of thumbnail_set, which the release before reads and writes.
  add column thumbnail_upload_id text;
update broadcasts b set thumbnail_upload_id = m.thumbnail_upload_id
from streams s join managed_settings m on m.id = s.managed_settings_id
where s.id = b.stream_id and b.thumbnail_set and b.phase in ('prepared', 'starting', 'live');
