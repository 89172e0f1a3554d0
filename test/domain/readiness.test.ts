// Readiness: a stream that has everything is ready; each thing that is missing is one issue, in the part where it is.
import { describe, expect, test } from 'vitest';
import { isPlayable, judgeReadiness, readinessCodes } from '../../lambda/domain/readiness.ts';
import type { PlaylistFacts, ReadinessCode, StreamFacts, UploadFacts } from '../../lambda/domain/readiness.ts';

const now = new Date('2030-01-01T00:00:00Z');
const later = new Date('2030-01-01T00:00:01Z');

const movie: UploadFacts = { uploaded: true, probeState: 'completed', hasVideo: true, hasAudio: true };
const song: UploadFacts = { ...movie, hasVideo: false };
const silentMovie: UploadFacts = { ...movie, hasAudio: false };
const pending: UploadFacts = { ...movie, probeState: 'pending' };
const failed: UploadFacts = { ...movie, probeState: 'failed' };
const announced: UploadFacts = { ...pending, uploaded: false };

const destination = { archived: false, allowed: true, hasBackupURL: true };
const ready: StreamFacts = {
  playlists: [], videoUpload: movie, destination, wantsBackup: false, managed: false,
  creditsLeft: 1, scheduleEndAt: null,
};

function codesOf(change: Partial<StreamFacts>): ReadinessCode[] {
  return judgeReadiness({ ...ready, ...change }, now).map((issue) => issue.code);
}

const videoPlaylist = (...items: PlaylistFacts['items']): PlaylistFacts => ({ kind: 'video', items });
const audioPlaylist = (...items: PlaylistFacts['items']): PlaylistFacts => ({ kind: 'audio', items });

describe('ready', () => {
  test.for<[string, Partial<StreamFacts>]>([
    ['with a video upload', {}],
    ['with a silent video', { videoUpload: silentMovie }],
    ['with sound of its own', { audioUpload: song }],
    ['with a video playlist in place of the upload', { videoUpload: undefined, playlists: [videoPlaylist(movie)] }],
    ['with a playlist, whatever the upload it replaces is like', { videoUpload: null, playlists: [videoPlaylist(movie)] }],
    ['with one playable item among bad ones', { playlists: [videoPlaylist(null, failed, pending, announced, song, movie)] }],
    ['with an audio playlist in place of the audio upload', { audioUpload: null, playlists: [audioPlaylist(failed, song)] }],
    ['with both playlists', { videoUpload: undefined, playlists: [videoPlaylist(silentMovie), audioPlaylist(song)] }],
    ['with a backup and an address for it', { wantsBackup: true }],
    ['without a backup address that nobody wants', { destination: { ...destination, hasBackupURL: false } }],
    ['with an end that is ahead', { scheduleEndAt: later }],
    ['with the smallest credit', { creditsLeft: 0.0001 }],
  ])('%s', ([, change]) => {
    expect(codesOf(change)).toEqual([]);
  });
});

/** For each code, what alone brings it about. */
const alone: readonly (readonly [ReadinessCode, string, Partial<StreamFacts>])[] = [
  ['no_video', 'VIDEO', { videoUpload: undefined }],
  ['no_video', 'VIDEO', { videoUpload: undefined, playlists: [audioPlaylist(song)] }],
  ['upload_missing', 'VIDEO', { videoUpload: null }],
  ['upload_not_uploaded', 'VIDEO', { videoUpload: announced }],
  ['upload_not_probed', 'VIDEO', { videoUpload: pending }],
  ['upload_unusable', 'VIDEO', { videoUpload: failed }],
  ['upload_not_visual', 'VIDEO', { videoUpload: song }],
  ['audio_missing', 'AUDIO', { audioUpload: null }],
  ['audio_not_uploaded', 'AUDIO', { audioUpload: announced }],
  ['audio_not_probed', 'AUDIO', { audioUpload: pending }],
  ['audio_unusable', 'AUDIO', { audioUpload: failed }],
  ['audio_silent', 'AUDIO', { audioUpload: silentMovie }],
  ['playlist_missing', 'PLAYLIST', { playlists: [null] }],
  ['playlist_missing', 'PLAYLIST', { playlists: [videoPlaylist(movie), null] }],
  ['playlist_empty', 'PLAYLIST', { playlists: [videoPlaylist()] }],
  ['playlist_empty', 'PLAYLIST', { playlists: [audioPlaylist()] }],
  ['playlist_empty', 'PLAYLIST', { playlists: [videoPlaylist(), audioPlaylist()] }],
  ['playlist_not_playable', 'PLAYLIST', { playlists: [videoPlaylist(null, failed, pending, announced, song)] }],
  ['playlist_not_playable', 'PLAYLIST', { playlists: [audioPlaylist(silentMovie)] }],
  ['destination_missing', 'DESTINATION', { destination: undefined }],
  ['destination_missing', 'DESTINATION', { destination: null }],
  ['destination_archived', 'DESTINATION', { destination: { ...destination, archived: true } }],
  ['destination_forbidden', 'DESTINATION', { destination: { ...destination, allowed: false } }],
  ['backup_url_missing', 'DESTINATION', { destination: { ...destination, hasBackupURL: false }, wantsBackup: true }],
  ['managed_not_connected', 'MANAGED', { managed: true }],
  ['managed_not_connected', 'MANAGED', { managed: true, destination: undefined }],
  ['no_credits', 'BILLING', { creditsLeft: 0 }],
  ['no_credits', 'BILLING', { creditsLeft: -1 }],
  ['schedule_end_past', 'SCHEDULE', { scheduleEndAt: now }],
];

describe('not ready', () => {
  test.for(alone)('%s in %s: %j', ([code, path, change]) => {
    const issues = judgeReadiness({ ...ready, ...change }, now);
    const sentence = expect.stringMatching(/^[A-Z].*\.$/);
    expect(issues).toEqual([{ code, path, stage: 'PREFLIGHT', error: sentence, suggestion: sentence }]);
  });

  test('every code can come up', () => {
    expect(new Set(alone.map(([code]) => code))).toEqual(new Set(readinessCodes));
  });

  test('everything that is missing is named at once', () => {
    const bare: Partial<StreamFacts> = { videoUpload: undefined, audioUpload: null, destination: undefined, creditsLeft: 0, scheduleEndAt: now };
    expect(codesOf(bare)).toEqual(['no_video', 'audio_missing', 'destination_missing', 'no_credits', 'schedule_end_past']);
    const fallen = { destination: { archived: true, allowed: false, hasBackupURL: false }, wantsBackup: true };
    expect(codesOf(fallen)).toEqual(['destination_archived', 'destination_forbidden', 'backup_url_missing']);
  });
});

test('an item is playable once it is examined and has what its playlist is for', () => {
  expect([movie, silentMovie, song, pending, failed, announced, null].map((upload) => [isPlayable(upload, 'video'), isPlayable(upload, 'audio')])).toEqual([
    [true, true], [true, false], [false, true], [false, false], [false, false], [false, false], [false, false],
  ]);
});
