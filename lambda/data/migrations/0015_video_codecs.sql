-- HEVC and AV1 take three fifths of the bytes of H.264: a stream says which codec it wants, and a run which it has (domain/video-format.ts).
-- Null is H.264 in both: streams that have not said so, and runs that began before this.
alter table streams
  add column video_codec text check (video_codec in ('h264', 'hevc', 'av1')),
  add column run_video_codec text check (run_video_codec in ('h264', 'hevc', 'av1'));
