// SQL of the formats of items, and of the uploads that streams keep prepared.

/** SQL expressions of the fields of a format, in the order of its name. */
type FormatFields = readonly [
  quality: string,
  framerate: string,
  videoCodec: string,
  aspect: string,
  framing: string,
  drawn: string,
];

/** SQL expression: the name of a format, as `formatName` of domain/playout/rendition.ts makes it. No codec: H.264. */
const nameOfFormat = (...[quality, framerate, videoCodec, aspect, framing, drawn]: FormatFields) =>
  `concat_ws('-', ${quality}, ${framerate}, nullif(${videoCodec}, 'h264'),
    replace(nullif(${aspect}, '16:9'), ':', 'x'), ${framing}, ${drawn})`;

/** SQL expression: a format, as `PictureFormat` of domain/playout/rendition.ts. No codec: H.264. */
const jsonOfFormat = (...[quality, framerate, videoCodec, aspect, framing, drawn]: FormatFields) =>
  `jsonb_strip_nulls(jsonb_build_object('quality', ${quality}, 'framerate', ${framerate},
    'videoCodec', coalesce(${videoCodec}, 'h264'), 'aspect', nullif(${aspect}, '16:9'),
    'framing', ${framing}, 'drawn', ${drawn}))`;

/** The format of an `item` with the upload `u` if the stream `s` of the user `a` started now. */
const keptFormat: FormatFields = [
  'coalesce(s.quality, a.default_quality)',
  'coalesce(s.framerate, a.default_framerate)',
  's.video_codec',
  `s.look ->> 'aspect'`,
  `framing_name(item -> 'look', s.look, u.width, u.height)`,
  `s.look ->> 'drawn'`,
];
/** SQL expression: the format of an item of `keptItems`, as `RenditionFormat` of domain/playout/rendition.ts. */
export const jsonOfKeptFormat = `case p.kind when 'audio' then '"sound"' else ${jsonOfFormat(...keptFormat)} end`;
/** SQL expression: the format of an `item` of the run of a stream `s`. */
export const nameOfRunFormat = nameOfFormat(
  's.run_quality',
  's.run_framerate',
  's.run_video_codec',
  's.run_aspect',
  `item ->> 'framing'`,
  `item ->> 'drawn'`,
);
const ofRunOr = (own: string, kept: string) =>
  `case when s.state in ('preparing', 'activating', 'active', 'failing') then coalesce(s.${own}, ${kept})
    else ${kept} end`;
/** SQL expression: the format of an `item` of a draft that is published now, in this run or the next one. */
export const nameOfDraftFormat = nameOfFormat(
  ofRunOr('run_quality', 'coalesce(s.quality, a.default_quality)'),
  ofRunOr('run_framerate', 'coalesce(s.framerate, a.default_framerate)'),
  ofRunOr('run_video_codec', 's.video_codec'),
  `s.look ->> 'aspect'`,
  `framing_name(item -> 'look', s.look, u.width, u.height)`,
  `s.look ->> 'drawn'`,
);
/** SQL condition: the rendition `r` is complete, also while damaged segments are prepared again. */
export const isComplete = `(r.state = 'ready'
  or r.state = 'preparing' and r.segment_count > 0 and r.segments_written >= r.segment_count)`;

/**
 * SQL to stand after `from`: the items of playlists that streams keep prepared, each with its stream `s`, its playlist
 * `p`, its upload `u` (nulls if deleted) and the name of its `format`. Further conditions may follow: `and …`.
 */
export const keptItems = `
  streams s join users a on a.id = s.user_id join playlists p on p.id = any (s.prepared_playlist_ids)
    cross join jsonb_array_elements((p.draft -> 'items') || coalesce(p.live -> 'items', '[]')) as item
    left join uploads u on u.id = item ->> 'uploadID'
    cross join lateral (
      select case p.kind when 'audio' then 'sound' else ${nameOfFormat(...keptFormat)} end as format) wanted
  where s.stream_backend = 'manifest' and s.deleted_at is null`;
/** SQL condition: the upload `u` has the track of this kind of playlist (rule: domain/readiness/readiness.ts). */
export const isPlayable = (kind: string) =>
  `(u.probe_state = 'completed' and case ${kind} when 'audio' then u.audio_codec else u.video_codec end is not null)`;
