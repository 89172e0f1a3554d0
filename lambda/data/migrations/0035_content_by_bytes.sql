-- Operators look for the uploads of some bytes, whose hash is where the name of their content begins.
create index uploads_by_bytes on uploads (split_part(content_hash, '-', 1)) where content_hash is not null;
