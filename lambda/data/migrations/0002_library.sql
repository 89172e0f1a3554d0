-- What a user streams and where to: uploads, destinations, streams and playlists.

create table uploads (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  name text not null,
  mime_type text not null,
  type text not null check (type in ('video', 'audio', 'image')),
  object_key text not null unique,
  declared_size_bytes bigint,
  size_bytes bigint,
  uploaded boolean not null default false,
  probe_state text not null default 'pending' check (probe_state in ('pending', 'completed', 'failed')),
  failure jsonb,
  duration_seconds double precision,
  width integer,
  height integer,
  framerate double precision,
  video_codec text,
  audio_codec text,
  created_at timestamptz not null default now()
);
create index uploads_by_user on uploads (user_id, seq desc);

create table destinations (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  name text not null,
  rtmp_url text not null,
  backup_rtmp_url text,
  sealed_stream_key bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  archived_at timestamptz
);
create index destinations_by_user on destinations (user_id, seq desc);

-- The ids a stream names are not foreign keys: a stream whose part is gone stays and is 'invalid'.
create table streams (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  name text,
  agent_mode_enabled boolean,
  run_backup_stream boolean,
  video_upload_id text,
  audio_upload_id text,
  destination_id text,
  playlist_ids text[] not null default '{}',
  prepared_playlist_ids text[] not null default '{}',
  quality text,
  framerate text,
  stream_backend text,
  stream_destination text,
  stream_duration_seconds integer check (stream_duration_seconds >= 0),
  managed_settings_id text,
  sealed_stream_key bytea,
  schedule_start_at timestamptz,
  schedule_end_at timestamptz,
  recurrence jsonb,
  status text not null default 'INACTIVE' check (status in ('ACTIVE', 'INACTIVE')),
  state text not null default 'draft' check (state in
    ('draft', 'invalid', 'scheduled', 'preparing', 'activating', 'active', 'failing', 'failed', 'stopping', 'stopped')),
  state_reason jsonb,
  processing_state text not null default 'idle' check (processing_state in ('idle', 'processing', 'failed')),
  last_transition_id bigint,
  -- What the run, or the last one, plays at: the stream's own or its user's defaults, as they were at the start.
  run_quality text,
  run_framerate text,
  started_at timestamptz,
  stopped_at timestamptz,
  -- When the first frame of the run was due: item 0 of lap 0 of its first timeline entry. Null until an agent is ready to send it.
  anchored_at timestamptz,
  stats jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Deleted while live: nobody sees it any more, and the row goes once its replicas have ended.
  deleted_at timestamptz
);
create index streams_by_user on streams (user_id, seq desc) where deleted_at is null;
create index streams_by_destination on streams (destination_id);
create index streams_by_video_upload on streams (video_upload_id);
create index streams_by_audio_upload on streams (audio_upload_id);
create index streams_by_playlist on streams using gin (playlist_ids);

create table playlists (
  id text primary key,
  seq bigint generated always as identity unique,
  user_id text not null references users on delete cascade,
  stream_id text not null references streams on delete cascade,
  name text,
  kind text not null check (kind in ('video', 'audio')),
  version integer not null default 1,
  draft jsonb not null,
  live jsonb,
  -- The draft as it was when the publish was asked for, until it is live.
  publishing jsonb,
  publish_status text not null default 'IDLE' check (publish_status in ('IDLE', 'PREPARING', 'FAILED')),
  publish_failure jsonb,
  publish_request bigint not null default 0,
  created_at timestamptz not null default now()
);
create index playlists_by_user on playlists (user_id, seq desc);
create index playlists_by_stream on playlists (stream_id);
create index playlists_preparing on playlists (id) where publish_status = 'PREPARING';
create index playlists_by_draft_item on playlists using gin ((draft -> 'items') jsonb_path_ops);
create index playlists_by_live_item on playlists using gin ((live -> 'items') jsonb_path_ops);
