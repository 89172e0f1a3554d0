// Remedies of readiness issues in terms of the page, for issues whose API texts name operations and fields.
// Decision D246.
import type { ReadinessCode } from '../../domain/readiness/readiness-issues.ts';

const soon = 'That takes a moment.';
const underWay = 'The upload is under way, or was interrupted: see the uploads below, or the library.';
const findings = 'The library lists the findings. A start plays the file unchanged.';

export const remediesWords: Readonly<Partial<Record<ReadinessCode, string>>> = {
  no_video: 'Choose a file under “Plays” in its settings, or create a playlist.',
  upload_missing: 'Choose another file under “Plays” in its settings.',
  upload_not_uploaded: underWay,
  upload_not_probed: soon,
  upload_unusable: 'The library shows the reason. Choose another file under “Plays” in its settings.',
  upload_not_visual: 'Choose a video or a picture under “Plays” in its settings.',
  audio_missing: 'Choose other sound.',
  audio_not_uploaded: underWay,
  audio_not_probed: soon,
  audio_unusable: 'The library shows the reason. Choose other sound.',
  audio_silent: 'Choose a file that has sound.',
  logo_missing: 'Choose another logo, or none, under “Sound and look”.',
  logo_not_probed: 'That takes a moment. A live stream draws it from then on.',
  logo_unusable: 'The library shows the reason. Choose another picture as logo, or none, under “Sound and look”.',
  join_without_track: 'Choose the same transition for pictures under “Sound and look”, or add a sound track.',
  next_not_prepared: 'Play the playlist in order, or switch “Next item” off under “Sound and look”.',
  stinger_missing: 'Choose a stinger from the library under “Sound and look”, or choose another transition.',
  stinger_not_probed: 'The stinger is still being examined. It plays from then on.',
  stinger_unusable: 'Choose a short video that ends within two seconds after the items change, under “Sound and look”.',
  running_not_prepared:
    'Create the stream with the ffmpeg backend, or switch clock and ticker off under “Sound and look”.',
  captions_missing: 'Add captions to a video in the library, or switch them off under “Sound and look”.',
  playlist_missing: 'Create a playlist in its settings, or choose a file under “Plays”.',
  nothing_to_plan: 'Add files that its collections draw from.',
  programme_gap: 'Add a block that plays when no other does, or filler, and publish the programme.',
  collection_empty: 'Add files to its collection, or choose another one in the programme.',
  never_plays: 'Change when its files may play in the library, or the hours of the block in the programme.',
  overlap_shadowed: 'Raise its priority, or change its hours, in the programme.',
  insert_does_not_fit: 'Shorten the minutes of the insert in the programme, or choose longer items.',
  runs_empty: 'Add files to its collection, or let these play for longer in the library.',
  rule_unmeetable: 'Add other items to the block, or shorten the distance, in the programme.',
  playlist_empty: 'Add items to it.',
  playlist_not_probed: soon,
  playlist_not_playable: 'The playlist shows the fault of each item. Replace them.',
  destination_missing: 'Choose a destination in its settings, or add an output.',
  destination_live: 'Stop that stream first, or choose another destination in the settings of this one.',
  backup_url_missing: 'Add a backup address to the destination, or stream without a backup.',
  not_connected: 'Connect a channel under “Destinations”, or choose a destination in its settings.',
  settings_missing: 'Choose broadcast settings under “Destinations”.',
  grant_revoked: 'Connect the channel again under “Destinations”.',
  grant_expiring: 'Connect the channel again under “Destinations” before that.',
  scope_missing: 'Connect the channel again under “Destinations”, and grant every permission.',
  live_not_enabled:
    'Ask the channel’s owner to enable live streaming there, which may take a day. Then connect it again.',
  health_bad: 'The stream’s broadcast shows the platform’s findings.',
  title_cut: 'Shorten the title under “Destinations”.',
  video_findings: findings,
  audio_findings: findings,
  playlist_findings: 'The library lists the findings. A start plays the files unchanged.',
  playlist_items_skipped: 'The playlist shows the fault of each. A start skips them.',
  draft_not_published: 'Publish the playlist: its page shows the changes.',
  no_credits: 'Add some under “Billing”.',
  schedule_end_past: 'Plan a later end under “Schedule”.',
  recurrence_without_end: 'Plan an end under “Schedule”.',
};
