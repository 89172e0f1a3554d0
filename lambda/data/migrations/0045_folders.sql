-- The folders in a folder are found one after the other, in the order of the bytes of their paths.
create index uploads_by_path on uploads (user_id, ((folder || '/') collate "C")) where folder <> '';
