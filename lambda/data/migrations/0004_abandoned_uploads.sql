-- Uploads that were begun and not completed: few, and the sweep asks for the old ones every minute.

create index uploads_unfinished on uploads (created_at) where not uploaded;
