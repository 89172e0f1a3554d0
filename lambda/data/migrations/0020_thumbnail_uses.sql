-- Finds the managed settings whose thumbnail an upload is.
create index managed_settings_by_thumbnail on managed_settings (thumbnail_upload_id)
  where thumbnail_upload_id is not null;
