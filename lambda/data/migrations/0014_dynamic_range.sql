-- How the light of an upload's pictures is coded (domain/video-format.ts): high dynamic range is mapped to what streams have.
-- What was examined before this counts as SDR until it is examined again.
alter table uploads add column dynamic_range text not null default 'sdr' check (dynamic_range in ('sdr', 'pq', 'hlg'));
