// What to do on the page about each issue of a stream, where the API's own words name operations and fields.
import type { ReadinessCode } from '../../domain/readiness/readiness-issues.ts';

const soon = 'That takes a moment.';
const underWay = 'It is on its way, or was interrupted: see the uploads below, or the library.';
const findings = 'The library says what. A start plays it as it is.';

export const remedies: Readonly<Partial<Record<ReadinessCode, string>>> = {
  no_video: 'Choose a file under “Plays” in its settings, or make a playlist.',
  upload_missing: 'Choose another file under “Plays” in its settings.',
  upload_not_uploaded: underWay,
  upload_not_probed: soon,
  upload_unusable: 'The library says why. Choose another file under “Plays” in its settings.',
  upload_not_visual: 'Choose a video or a picture under “Plays” in its settings.',
  audio_missing: 'Choose other sound.',
  audio_not_uploaded: underWay,
  audio_not_probed: soon,
  audio_unusable: 'The library says why. Choose other sound.',
  audio_silent: 'Choose a file that has sound.',
  logo_missing: 'Choose another logo, or none, under “Sound and look”.',
  logo_not_probed: 'That takes a moment. A start draws it from then on.',
  logo_unusable: 'The library says why. Choose another picture as logo, or none, under “Sound and look”.',
  join_without_track: 'Have the pictures follow each other likewise under “Sound and look”, or take sound of its own.',
  next_not_prepared: 'Have the playlist played in order, or leave that out under “Sound and look”.',
  stinger_missing: 'Choose a stinger from the library under “Sound and look”, or let items follow otherwise.',
  stinger_not_probed: 'The stinger is still being examined. It is played as soon as it is.',
  stinger_unusable: 'Choose a short video that ends within two seconds after the items change, under “Sound and look”.',
  running_not_prepared:
    'Let the stream be encoded while it is sent, or leave clock and ticker out under “Sound and look”.',
  captions_missing: 'Give a video captions in the library, or leave them out under “Sound and look”.',
  playlist_missing: 'Make a playlist in its settings, or choose a file under “Plays”.',
  playlist_empty: 'Add items to it.',
  playlist_not_probed: soon,
  playlist_not_playable: 'The playlist says what is wrong with each item. Replace them.',
  destination_missing: 'Choose a destination in its settings, or add an output.',
  backup_url_missing: 'Give the destination a backup address, or stream without a backup.',
  not_connected: 'Connect a channel under “Destinations”, or choose a destination in its settings.',
  settings_missing: 'Choose how broadcasts are called under “Destinations”.',
  grant_revoked: 'Connect the channel again under “Destinations”.',
  grant_expiring: 'Connect the channel again under “Destinations” before that.',
  scope_missing: 'Connect the channel again under “Destinations”, and leave every box ticked.',
  live_not_enabled:
    'Have the channel’s owner enable live streaming there, which may take a day; then connect it again.',
  health_bad: 'The broadcast of the stream says what the platform has found.',
  title_cut: 'Shorten the title under “Destinations”.',
  video_findings: findings,
  audio_findings: findings,
  playlist_findings: 'The library says what. A start plays them as they are.',
  playlist_items_skipped: 'The playlist says what is wrong with each. A start leaves them out.',
  draft_not_published: 'Publish the playlist: its page shows what that changes.',
  no_credits: 'Add some under “Billing”.',
  schedule_end_past: 'Plan a later end under “Schedule”.',
  recurrence_without_end: 'Plan an end under “Schedule”.',
};
