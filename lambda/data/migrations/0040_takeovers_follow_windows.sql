-- A takeover by a window looks again for the end of the window, which may have changed, or be too far away to be known.

-- When it looks again; null: it follows no window. The previous release follows a publish only.
alter table takeovers add column look_again_at timestamptz;
create index takeovers_by_look on takeovers (look_again_at) where ended_at is null and look_again_at is not null;
