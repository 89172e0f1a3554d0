-- Pages of a user's rows are read by (user_id, seq). If a user had many of all rows, Postgres read the newest rows of
-- all users by these indexes instead, and passed over those of other users. An identity needs no index to be unique.
alter table alert_channels drop constraint alert_channels_seq_key;
alter table connections drop constraint connections_seq_key;
alter table destinations drop constraint destinations_seq_key;
alter table incidents drop constraint incidents_seq_key;
alter table invoices drop constraint invoices_seq_key;
alter table managed_settings drop constraint managed_settings_seq_key;
alter table playlists drop constraint playlists_seq_key;
alter table streams drop constraint streams_seq_key;
alter table uploads drop constraint uploads_seq_key;
alter table webhooks drop constraint webhooks_seq_key;
