-- Guide links end with the connection of the application that has made them, and plans rest between changes of a queue.

-- The application that has received the addresses; null: none.
alter table guide_links add column client_id text;
create index guide_links_by_client on guide_links (client_id) where client_id is not null;

-- The end of the rests of all plans that changes of the queue have asked for; null: none has.
alter table programmes add column queue_rested_at timestamptz;
