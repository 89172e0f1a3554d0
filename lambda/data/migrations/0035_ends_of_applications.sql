-- Keys of live inputs and watched sources end with the connection of the application that has made them.

-- The application that has received the key; null: none. A key is null after its application was disconnected.
alter table live_inputs add column key_client_id text;
alter table live_inputs alter column key_sha256 drop not null;
create index live_inputs_by_key_client on live_inputs (key_client_id) where key_client_id is not null;

-- The application that chose what is imported; null: none. After it was disconnected, the source is held: it is due
-- never, and has no lease.
alter table sources add column client_id text;
create index sources_by_client on sources (client_id) where client_id is not null;
