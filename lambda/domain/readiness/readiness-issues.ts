// Every issue that blocks a start or is left out by one, each with its remedy.
export const readinessPaths = [
  'VIDEO',
  'AUDIO',
  'PLAYLIST',
  'DESTINATION',
  'MANAGED',
  'BILLING',
  'SCHEDULE',
  'STREAM',
  'ACCOUNT',
] as const;
export const readinessStages = ['PREFLIGHT', 'PREPARATION'] as const;

export interface ReadinessIssue {
  readonly code: ReadinessCode;
  readonly error: string;
  readonly path: (typeof readinessPaths)[number];
  readonly stage: (typeof readinessStages)[number];
  readonly suggestion: string;
  /** Null if the issue is not about an output, or if the stream has only a deprecated stream key. */
  readonly outputID: string | null;
}

const readFindings = "Read the upload's findings, and upload a mended file. A start plays it as it is.";

/**
 * Issues by stable code: the part of the stream, the error, the suggestion and the stage (PREFLIGHT if a row names
 * none). PREFLIGHT issues block a start; PREPARATION issues name parts that a start leaves out.
 */
const issueTable = {
  account_at_rest: ['ACCOUNT', 'The account is on hold: it starts no streams.', 'Ask whoever runs the platform.'],
  no_video: ['VIDEO', 'The stream has nothing to show.', 'Set playlistIDs or videoUploadObjectID.'],
  upload_missing: ['VIDEO', 'The video upload does not exist.', 'Name an upload of yours in videoUploadObjectID.'],
  upload_not_uploaded: [
    'VIDEO',
    'The bytes of the video have not been uploaded.',
    'PUT them to the upload URL, then call complete; an import only has to finish.',
  ],
  upload_not_probed: ['VIDEO', 'The video is still being examined.', 'Wait until its probeState is completed.'],
  upload_unusable: ['VIDEO', 'The video cannot be played.', "Read the upload's failure, then upload another file."],
  upload_not_visual: [
    'VIDEO',
    'The upload named as video has no picture.',
    'Name a video or an image; use audioUploadObjectID for sound.',
  ],
  audio_missing: ['AUDIO', 'The audio upload does not exist.', 'Name an upload of yours in audioUploadObjectID.'],
  audio_not_uploaded: [
    'AUDIO',
    'The bytes of the audio have not been uploaded.',
    'PUT them to the upload URL, then call complete; an import only has to finish.',
  ],
  audio_not_probed: ['AUDIO', 'The audio is still being examined.', 'Wait until its probeState is completed.'],
  audio_unusable: ['AUDIO', 'The audio cannot be played.', "Read the upload's failure, then upload another file."],
  audio_silent: ['AUDIO', 'The upload named as audio has no sound.', 'Name an upload that has an audio track.'],
  join_without_track: [
    'AUDIO',
    'The sound of items follows by cuts: sound.join is for items of an audio playlist only.',
    'Put the sound into a playlist of kind audio, or set look.join: videos are joined with their sound.',
    'PREPARATION',
  ],
  under_without_track: [
    'AUDIO',
    'sound.under is set, but nothing is played over the sound of the videos.',
    'Name audio that plays over them, or leave sound.under out.',
    'PREPARATION',
  ],
  under_not_prepared: [
    'AUDIO',
    'Videos of less than 5 s will not be heard under the audio: to prepare so many would cost as encoding does.',
    'Set streamBackend to ffmpeg, join them to longer ones before you upload them, or leave sound.under out.',
    'PREPARATION',
  ],
  logo_missing: [
    'VIDEO',
    'The logo does not exist any more: pictures go without it.',
    'Name another image with update_stream in look.overlays.logo.uploadID, or leave logo out.',
    'PREPARATION',
  ],
  logo_not_probed: [
    'VIDEO',
    'The logo is not examined yet: pictures go without it until then.',
    'Have its bytes uploaded and wait until its probeState is completed, or start: it is drawn from then on.',
    'PREPARATION',
  ],
  logo_unusable: [
    'VIDEO',
    'The logo cannot be drawn: pictures go without it.',
    "Read the upload's failure, and name a still image with update_stream in look.overlays.logo.uploadID.",
    'PREPARATION',
  ],
  stinger_missing: [
    'VIDEO',
    'Items are to be joined by a stinger, but there is none: they follow by cuts.',
    'Name a short video with update_stream in look.stinger.uploadID, or set look.join otherwise.',
    'PREPARATION',
  ],
  stinger_not_probed: [
    'VIDEO',
    'The stinger is not examined yet: items follow by cuts until then.',
    'Have its bytes uploaded and wait until its probeState is completed, or start: it is played from then on.',
    'PREPARATION',
  ],
  stinger_unusable: [
    'VIDEO',
    'The stinger cannot be played: items follow by cuts.',
    'Name a video in look.stinger that lasts as long as its cutSeconds, and no more than two seconds after that.',
    'PREPARATION',
  ],
  next_not_prepared: [
    'VIDEO',
    'What comes next will not be drawn: a shuffled playlist has another order in each lap, which cannot be prepared.',
    'Set streamBackend to ffmpeg or the mode of the playlist to sequential, or leave look.overlays.next out.',
    'PREPARATION',
  ],
  running_not_prepared: [
    'VIDEO',
    'No clock and no ticker will be drawn: pictures that are others all the time cannot be prepared.',
    'Set streamBackend to ffmpeg, or leave look.overlays.clock and ticker out.',
    'PREPARATION',
  ],
  captions_missing: [
    'VIDEO',
    'Captions are to be drawn, but nothing that the stream shows has any.',
    'Give a video captions with update_upload, or leave look.overlays.captions out.',
    'PREPARATION',
  ],
  playlist_missing: ['PLAYLIST', 'A playlist of the stream does not exist.', 'Name playlists of yours in playlistIDs.'],
  playlist_empty: ['PLAYLIST', 'A playlist of the stream has no items.', 'Add items with apply_playlist_operations.'],
  playlist_not_probed: [
    'PLAYLIST',
    'The items of a playlist are still being examined.',
    'Wait until the probeState of an upload in it is completed.',
  ],
  playlist_not_playable: [
    'PLAYLIST',
    'No item of a playlist can be played.',
    'Read the failure of each item in get_playlist, then replace the items.',
  ],
  destination_missing: [
    'DESTINATION',
    'The stream has no destination.',
    'Create a destination and set destinationID, or enable an output.',
  ],
  destination_archived: ['DESTINATION', 'The destination is archived.', 'Choose another destination.'],
  destination_forbidden: [
    'DESTINATION',
    "The destination's address may not be used here.",
    'Use a public rtmp:// or rtmps:// address.',
  ],
  destination_limit: [
    'DESTINATION',
    'The destination does not take this quality, framerate or codec.',
    'Choose a lower quality or framerate, and videoCodec h264.',
  ],
  backup_url_missing: [
    'DESTINATION',
    'The destination has no backup address.',
    'Set backupRtmpURL on the destination, or runBackupStream to false.',
  ],
  not_connected: [
    'MANAGED',
    'No channel is connected.',
    'Connect one with create_connection, and have its owner open the link; or set streamDestination to null and ' +
      'destinationID to an RTMP destination.',
  ],
  settings_missing: [
    'MANAGED',
    'The stream names no settings of a connected channel.',
    'Make some with create_managed_settings, and set managedSettingsID.',
  ],
  grant_revoked: [
    'MANAGED',
    'The consent of the channel’s owner has ended.',
    'Call reauthorise_connection, and have the owner open the link.',
  ],
  grant_expiring: [
    'MANAGED',
    'The consent of the channel’s owner ends soon.',
    'Call reauthorise_connection before that, and have the owner open the link.',
    'PREPARATION',
  ],
  scope_missing: [
    'MANAGED',
    'The channel’s owner has not granted all rights that are needed.',
    'Call reauthorise_connection, and have the owner open the link and leave every box ticked.',
  ],
  live_not_enabled: [
    'MANAGED',
    'The platform does not let the channel stream.',
    'Have the owner enable live streaming there, which may take a day; then call reauthorise_connection.',
  ],
  channel_busy: [
    'MANAGED',
    'As many broadcasts as the platform allows are live on the channel.',
    'End one of them, here or at the platform. It is tried again by itself.',
  ],
  quota_exhausted: [
    'MANAGED',
    'Our calls to the platform are used up for today.',
    'Start it tomorrow, or schedule it ahead: what is prepared by then needs no call to go live.',
  ],
  health_bad: [
    'MANAGED',
    'The platform says that what it gets is bad.',
    'Read the issues of the broadcast with list_stream_broadcasts.',
    'PREPARATION',
  ],
  title_cut: [
    'MANAGED',
    'Titles of broadcasts may be longer than the platform takes, and are cut.',
    'Shorten titleTemplate with update_managed_settings.',
    'PREPARATION',
  ],
  no_credits: ['BILLING', 'There are no credits left.', 'Buy credits with create_top_up.'],
  schedule_end_past: ['SCHEDULE', "The schedule's end has passed.", 'Set a later scheduleEndAt, or clear it.'],
  recurrence_without_end: [
    'SCHEDULE',
    'The first run of the recurrence never ends, so that no other begins.',
    'Schedule it with scheduleEndAt, or set streamDuration.',
    'PREPARATION',
  ],
  draft_not_published: [
    'PLAYLIST',
    'What was changed in a playlist is not on the air.',
    'Publish the playlist with publish_playlist; get_stream_timeline with draft shows what that changes.',
    'PREPARATION',
  ],
  playlist_items_pending: [
    'PLAYLIST',
    'Some items of a playlist are still being examined.',
    'Wait until they are, or start: they join the running stream then.',
    'PREPARATION',
  ],
  playlist_items_skipped: [
    'PLAYLIST',
    'Some items of a playlist cannot be played.',
    'Read the failure of each item in get_playlist, then replace or remove it. A start leaves them out.',
    'PREPARATION',
  ],
  video_findings: ['VIDEO', 'Viewers may notice something in the video.', readFindings, 'PREPARATION'],
  audio_findings: ['AUDIO', 'Viewers may notice something in the audio.', readFindings, 'PREPARATION'],
  playlist_findings: [
    'PLAYLIST',
    'Viewers may notice something in items of a playlist.',
    'Find them with list_uploads and hasFindings, and read their findings. A start plays them as they are.',
    'PREPARATION',
  ],
} as const satisfies Record<string, readonly [(typeof readinessPaths)[number], string, string, 'PREPARATION'?]>;

export type ReadinessCode = keyof typeof issueTable;
export const readinessCodes = Object.keys(issueTable) as [ReadinessCode, ...ReadinessCode[]];

/** The issue of a code, in its general words. */
export function issueOf(code: ReadinessCode): ReadinessIssue {
  const [path, error, suggestion, stage = 'PREFLIGHT'] = issueTable[code];
  return { code, error, path, stage, suggestion, outputID: null };
}

/** Whether an issue blocks a start. */
export function isBlocking(issue: ReadinessIssue): boolean {
  return issue.stage === 'PREFLIGHT';
}
