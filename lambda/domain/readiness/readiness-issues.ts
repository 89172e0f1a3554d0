// Every issue that blocks a start or is left out by one, each with its remedy.
export const readinessPaths = [
  'VIDEO',
  'AUDIO',
  'PLAYLIST',
  'PROGRAMME',
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

const readFindings = "Read the upload's findings, and upload a repaired file. A start plays the file as it is.";

/**
 * Issues by stable code: the part of the stream, the error, the suggestion and the stage (PREFLIGHT if a row names
 * none). PREFLIGHT issues block a start; PREPARATION issues name parts that a start leaves out.
 */
const issueTable = {
  account_at_rest: ['ACCOUNT', 'The account is on hold and cannot start streams.', 'Ask the operator of the platform.'],
  no_video: ['VIDEO', 'The stream has nothing to show.', 'Set playlistIDs or videoUploadObjectID.'],
  upload_missing: ['VIDEO', 'The video upload does not exist.', 'Set videoUploadObjectID to one of your uploads.'],
  upload_not_uploaded: [
    'VIDEO',
    'The bytes of the video have not been uploaded.',
    'PUT them to the upload URL, then call complete_upload. An import completes by itself.',
  ],
  upload_not_probed: ['VIDEO', 'The video is still being examined.', 'Wait until its probeState is completed.'],
  upload_unusable: ['VIDEO', 'The video cannot be played.', "Read the upload's failure, then upload another file."],
  upload_not_visual: [
    'VIDEO',
    'The upload in videoUploadObjectID has no picture.',
    'Set videoUploadObjectID to a video or an image. Use audioUploadObjectID for sound.',
  ],
  audio_missing: ['AUDIO', 'The audio upload does not exist.', 'Set audioUploadObjectID to one of your uploads.'],
  audio_not_uploaded: [
    'AUDIO',
    'The bytes of the audio have not been uploaded.',
    'PUT them to the upload URL, then call complete_upload. An import completes by itself.',
  ],
  audio_not_probed: ['AUDIO', 'The audio is still being examined.', 'Wait until its probeState is completed.'],
  audio_unusable: ['AUDIO', 'The audio cannot be played.', "Read the upload's failure, then upload another file."],
  audio_silent: [
    'AUDIO',
    'The upload in audioUploadObjectID has no sound.',
    'Choose an upload that has an audio track.',
  ],
  join_without_track: [
    'AUDIO',
    'The sound of the items will change by cuts: sound.join applies only to the items of an audio playlist.',
    'Put the sound into a playlist of kind audio, or set look.join, which joins videos with their sound.',
    'PREPARATION',
  ],
  under_without_track: [
    'AUDIO',
    'sound.under is set, but no audio plays over the sound of the videos.',
    'Add an audio playlist or audioUploadObjectID, or leave sound.under out.',
    'PREPARATION',
  ],
  under_not_prepared: [
    'AUDIO',
    'Videos shorter than 5 seconds will not be heard under the audio: preparing so many of them would cost as ' +
      'much as encoding.',
    'Set streamBackend to ffmpeg, join the short videos before you upload them, or leave sound.under out.',
    'PREPARATION',
  ],
  logo_missing: [
    'VIDEO',
    'The logo no longer exists, and the stream will be shown without it.',
    'Set look.overlays.logo.uploadID to another image with update_stream, or leave logo out.',
    'PREPARATION',
  ],
  logo_not_probed: [
    'VIDEO',
    'The logo has not been examined yet, and the stream will be shown without it until then.',
    'Upload its bytes and wait until its probeState is completed, or start now: the logo appears as soon as it ' +
      'is examined.',
    'PREPARATION',
  ],
  logo_unusable: [
    'VIDEO',
    'The logo cannot be drawn, and the stream will be shown without it.',
    "Read the upload's failure, and set look.overlays.logo.uploadID to a still image with update_stream.",
    'PREPARATION',
  ],
  stinger_missing: [
    'VIDEO',
    'Items are to be joined by a stinger, but the stream has none. The joins will be cuts.',
    'Set look.stinger.uploadID to a short video with update_stream, or choose another look.join.',
    'PREPARATION',
  ],
  stinger_not_probed: [
    'VIDEO',
    'The stinger has not been examined yet. Joins will be cuts until then.',
    'Upload its bytes and wait until its probeState is completed, or start now: the stinger plays as soon as it ' +
      'is examined.',
    'PREPARATION',
  ],
  stinger_unusable: [
    'VIDEO',
    'The stinger cannot be played. Joins will be cuts.',
    'Set look.stinger.uploadID to a video that is at least as long as its cutSeconds, and at most two seconds ' +
      'longer.',
    'PREPARATION',
  ],
  next_not_prepared: [
    'VIDEO',
    'The next title will not be drawn: a shuffled playlist has a new order in each lap, which cannot be prepared.',
    'Set streamBackend to ffmpeg, set the mode of the playlist to sequential, or leave look.overlays.next out.',
    'PREPARATION',
  ],
  running_not_prepared: [
    'VIDEO',
    'The clock and the ticker will not be drawn: pictures that change all the time cannot be prepared.',
    'Set streamBackend to ffmpeg, or leave look.overlays.clock and look.overlays.ticker out.',
    'PREPARATION',
  ],
  captions_missing: [
    'VIDEO',
    'Captions are to be drawn, but no item of the stream has captions.',
    'Add captions to a video with update_upload, or leave look.overlays.captions out.',
    'PREPARATION',
  ],
  playlist_missing: ['PLAYLIST', 'A playlist of the stream does not exist.', 'Set playlistIDs to playlists of yours.'],
  nothing_to_plan: [
    'PROGRAMME',
    'No collection that the programme draws from has an upload that can be played.',
    'Look at the uploads of its collections: list_collection_uploads shows which of them can be played.',
  ],
  programme_gap: [
    'PROGRAMME',
    'No block of the programme has the time now, and there is no filler.',
    'Add a block without hours, which plays when no other does, or filler; then publish the programme.',
  ],
  collection_empty: [
    'PROGRAMME',
    'A rule of the programme draws from a collection that has nothing to play.',
    'Look at its collection with list_collection_uploads, or choose another source with update_programme.',
    'PREPARATION',
  ],
  collection_cut: [
    'PROGRAMME',
    'A rule of the programme does not draw from its whole collection: all its collections have too many uploads.',
    'Draw from fewer or smaller collections with update_programme: those of its last rules are cut.',
    'PREPARATION',
  ],
  never_plays: [
    'PROGRAMME',
    'A rule of the programme plays nothing: no upload is valid at its times.',
    'Change available of the uploads with update_upload, or the hours of the block with update_programme.',
    'PREPARATION',
  ],
  overlap_shadowed: [
    'PROGRAMME',
    'A block of the programme is never on: other blocks have all of its times.',
    'Raise its priority, or change its hours, with update_programme.',
    'PREPARATION',
  ],
  live_input_missing: [
    'PROGRAMME',
    'A block of the programme names a live input that is deleted.',
    'Choose another live input, or none, with update_programme.',
    'PREPARATION',
  ],
  live_needs_manifest: [
    'PROGRAMME',
    'A block of the programme names a live input, which cannot take over: the stream encodes while it sends.',
    'Set streamBackend to manifest with update_stream while the stream is stopped.',
    'PREPARATION',
  ],
  insert_does_not_fit: [
    'PROGRAMME',
    'Breaks within items are never on: no item is long enough.',
    'Lower everyMinutes or keepLastMinutes of midRoll with update_programme.',
    'PREPARATION',
  ],
  runs_empty: [
    'PROGRAMME',
    'All uploads of a rule of the programme expire soon.',
    'Add uploads to its collection, or let these be valid for longer with update_upload.',
    'PREPARATION',
  ],
  rule_unmeetable: [
    'PROGRAMME',
    'A distance of the programme does not fit the items of a block: there is too much of one kind.',
    'Add other items to the block, or shorten the distance, with update_programme.',
    'PREPARATION',
  ],
  playlist_empty: ['PLAYLIST', 'A playlist of the stream has no items.', 'Add items with apply_playlist_operations.'],
  playlist_not_probed: [
    'PLAYLIST',
    'The items of a playlist are still being examined.',
    'Wait until the probeState of at least one upload in it is completed.',
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
  destination_live: [
    'DESTINATION',
    'Another stream of yours is live on the destination, which takes one at a time.',
    'Stop that stream first, or choose another destination.',
  ],
  destination_forbidden: [
    'DESTINATION',
    "Streaming to the destination's address is not allowed.",
    'Use a public address.',
  ],
  destination_limit: [
    'DESTINATION',
    'The destination does not accept this quality, frame rate or codec.',
    'Choose a lower quality or framerate, and set videoCodec to h264.',
  ],
  backup_url_missing: [
    'DESTINATION',
    'The destination has no backup address.',
    'Set backupURL on the destination, or runBackupStream to false.',
  ],
  not_connected: [
    'MANAGED',
    'No channel is connected.',
    'Connect a channel with create_connection, and ask its owner to open the link. Or set streamDestination to ' +
      'null and destinationID to a destination.',
  ],
  settings_missing: [
    'MANAGED',
    'The stream has no managed settings.',
    'Create settings with create_managed_settings, and set managedSettingsID.',
  ],
  grant_revoked: [
    'MANAGED',
    'The consent of the channel’s owner has ended.',
    'Call reauthorise_connection, and ask the owner to open the link.',
  ],
  grant_expiring: [
    'MANAGED',
    'The consent of the channel’s owner ends soon.',
    'Call reauthorise_connection before then, and ask the owner to open the link.',
    'PREPARATION',
  ],
  scope_missing: [
    'MANAGED',
    'The channel’s owner has not granted all the rights that the stream needs.',
    'Call reauthorise_connection, and ask the owner to open the link and leave every box checked.',
  ],
  live_not_enabled: [
    'MANAGED',
    'The platform does not allow the channel to stream.',
    'Ask the owner to enable live streaming on the platform, which may take a day. Then call ' +
      'reauthorise_connection.',
  ],
  channel_busy: [
    'MANAGED',
    'The channel already has as many live broadcasts as the platform allows.',
    'End one of them, here or on the platform. The stream then retries by itself.',
  ],
  quota_exhausted: [
    'MANAGED',
    "Today's quota of calls to the platform is used up.",
    'Start the stream tomorrow, or schedule it ahead: a prepared broadcast needs no call to go live.',
  ],
  health_bad: [
    'MANAGED',
    'The platform reports that the media it receives is bad.',
    'Read the issues of the broadcast with list_stream_broadcasts.',
    'PREPARATION',
  ],
  title_cut: [
    'MANAGED',
    'Titles of broadcasts may be longer than the platform allows, and are cut.',
    'Shorten titleTemplate with update_managed_settings.',
    'PREPARATION',
  ],
  no_credits: ['BILLING', 'There are no credits left.', 'Buy credits with create_top_up.'],
  schedule_end_past: [
    'SCHEDULE',
    'The end of the schedule is in the past.',
    'Set a later scheduleEndAt, or set it to null.',
  ],
  recurrence_without_end: [
    'SCHEDULE',
    'The first run of the recurrence never ends, so no later run can begin.',
    'Schedule the stream with scheduleEndAt, or set streamDuration.',
    'PREPARATION',
  ],
  draft_not_published: [
    'PLAYLIST',
    'The draft of a playlist has changes that are not on the air.',
    'Publish the playlist with publish_playlist. get_stream_timeline with draft shows the effect of the changes.',
    'PREPARATION',
  ],
  playlist_items_pending: [
    'PLAYLIST',
    'Some items of a playlist are still being examined.',
    'Wait until they are examined, or start now: they join the running stream later.',
    'PREPARATION',
  ],
  playlist_items_skipped: [
    'PLAYLIST',
    'Some items of a playlist cannot be played.',
    'Read the failure of each item in get_playlist, then replace or remove it. A start leaves these items out.',
    'PREPARATION',
  ],
  video_findings: ['VIDEO', 'Viewers may notice something in the video.', readFindings, 'PREPARATION'],
  audio_findings: ['AUDIO', 'Viewers may notice something in the audio.', readFindings, 'PREPARATION'],
  playlist_findings: [
    'PLAYLIST',
    'Viewers may notice something in items of a playlist.',
    'Find the uploads with list_uploads and hasFindings, and read their findings. A start plays them as they are.',
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
