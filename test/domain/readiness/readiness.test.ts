// Readiness: a complete stream is ready; each missing thing is one issue, in the part that lacks it.
import { describe, expect, it, test } from 'vitest';
import { excessOver } from '../../../lambda/domain/destinations/ingest-limits.ts';
import type { ChannelFacts, ManagedFacts } from '../../../lambda/domain/readiness/managed-readiness.ts';
import type { Warning } from '../../../lambda/domain/programme/outlook.ts';
import { isBlocking, readinessCodes } from '../../../lambda/domain/readiness/readiness-issues.ts';
import type { ReadinessCode } from '../../../lambda/domain/readiness/readiness-issues.ts';
import { failureOfItem, isPlayable, judgeReadiness } from '../../../lambda/domain/readiness/readiness.ts';
import type {
  DestinationFacts,
  PlaylistFacts,
  StreamFacts,
  UploadFacts,
} from '../../../lambda/domain/readiness/readiness.ts';
import type { Quality, VideoCodec } from '../../../lambda/domain/shared/video-format.ts';

const now = new Date('2030-01-01T00:00:00Z');
const later = new Date('2030-01-01T00:00:01Z');

const movie: UploadFacts = { uploaded: true, probeState: 'completed', hasVideo: true, hasAudio: true, findings: [] };
const song: UploadFacts = { ...movie, hasVideo: false };
const silentMovie: UploadFacts = { ...movie, hasAudio: false };
const pending: UploadFacts = { ...movie, probeState: 'pending' };
const failed: UploadFacts = { ...movie, probeState: 'failed' };
const announced: UploadFacts = { ...pending, uploaded: false };

const withFindings = (...findings: UploadFacts['findings']): UploadFacts => ({ ...movie, findings });

/** A stinger of the maximum length. */
const swoosh = { probeState: 'completed', durationSeconds: 3, cutSeconds: 1 } as const;
const destination = {
  outputID: 'out_1',
  archived: false,
  allowed: true,
  hasBackupURL: true,
  excesses: [],
  liveStream: null,
};
const occupant = { id: 'str_1', name: 'Night Radio', endsAt: new Date('2026-12-01T20:00:00Z') };
const excess = excessOver('live.twitch.tv', { quality: 'q_1080p', framerate: 'f_60', videoCodec: 'h264' })!;
const ready: StreamFacts = {
  playlists: [],
  programmes: [],
  videoUpload: movie,
  destination,
  otherOutputs: [],
  wantsBackup: false,
  managed: null,
  creditsLeft: 1,
  accountRest: null,
  scheduleEndAt: null,
  recursWithoutEnd: false,
  isLive: false,
  joinsSound: false,
  wantsSoundUnder: false,
  isLevelled: false,
  missesSoundUnder: false,
  missesNext: false,
  missesCaptions: false,
  missesRunning: false,
  stinger: undefined,
};

const channel: ChannelFacts = {
  platform: 'YouTube',
  state: 'ok',
  grantEndsAt: null,
  hasBackupIngest: true,
  excess: null,
  isPrepared: false,
  isBusy: false,
  quotaExhaustedUntil: null,
  isHealthBad: false,
  isTitleCut: false,
};
const managed: ManagedFacts = { offersPlatforms: true, hasChannel: true, channel };
/** Facts of a stream that goes to a channel, and names no destination. */
const onChannel = (change: Partial<ChannelFacts>): Partial<StreamFacts> => ({
  destination: undefined,
  managed: { ...managed, channel: { ...channel, ...change } },
});
const onNoChannel = (change: Partial<ManagedFacts>): Partial<StreamFacts> => ({
  managed: { ...managed, channel: null, ...change },
});

function codesOf(change: Partial<StreamFacts>): ReadinessCode[] {
  return judgeReadiness({ ...ready, ...change }, now).map((issue) => issue.code);
}

const videoPlaylist = (...items: PlaylistFacts['items']): PlaylistFacts => ({
  kind: 'video',
  items,
  isDraftUnpublished: false,
});
const audioPlaylist = (...items: PlaylistFacts['items']): PlaylistFacts => ({
  kind: 'audio',
  items,
  isDraftUnpublished: false,
});

describe('ready', () => {
  test.for<[string, Partial<StreamFacts>]>([
    ['with a video upload', {}],
    ['with a silent video', { videoUpload: silentMovie }],
    ['with sound of its own', { audioUpload: song }],
    ['with a video playlist in place of the upload', { videoUpload: undefined, playlists: [videoPlaylist(movie)] }],
    [
      'with a playlist, whatever the upload it replaces is like',
      { videoUpload: null, playlists: [videoPlaylist(movie)] },
    ],
    ['with an audio playlist in place of the audio upload', { audioUpload: null, playlists: [audioPlaylist(song)] }],
    ['with both playlists', { videoUpload: undefined, playlists: [videoPlaylist(silentMovie), audioPlaylist(song)] }],
    ['with a backup and an address for it', { wantsBackup: true }],
    ['without a backup address that nobody wants', { destination: { ...destination, hasBackupURL: false } }],
    ['with what only its owner can judge', { videoUpload: withFindings('aspect', 'interlaced', 'variable_rate') }],
    ['with silence, where there is a sound track', { videoUpload: withFindings('silent'), audioUpload: song }],
    ['with a draft that a start publishes', { playlists: [{ ...videoPlaylist(movie), isDraftUnpublished: true }] }],
    ['with an end that is ahead', { scheduleEndAt: later }],
    ['with the smallest credit', { creditsLeft: 0.0001 }],
    ['on a connected channel', onChannel({})],
    ['on a channel, with a backup', { ...onChannel({}), wantsBackup: true }],
    ['with what is prepared, though calls are used up', onChannel({ isPrepared: true, quotaExhaustedUntil: later })],
  ])('%s', ([, change]) => {
    expect(codesOf(change)).toEqual([]);
  });
});

/** For each code, facts without any other fault. */
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
  ['playlist_not_probed', 'PLAYLIST', { playlists: [videoPlaylist(null, failed, pending, announced, song)] }],
  ['nothing_to_plan', 'PROGRAMME', { programmes: [{ kind: 'video', rows: 0, isGap: false, warnings: [] }] }],
  ['nothing_to_plan', 'PROGRAMME', { programmes: [{ kind: 'audio', rows: 0, isGap: false, warnings: [] }] }],
  ['programme_gap', 'PROGRAMME', { programmes: [{ kind: 'video', rows: 3, isGap: true, warnings: [] }] }],
  ['playlist_not_playable', 'PLAYLIST', { playlists: [videoPlaylist(null, failed, announced, song)] }],
  ['playlist_not_playable', 'PLAYLIST', { playlists: [audioPlaylist(silentMovie)] }],
  ['destination_missing', 'DESTINATION', { destination: undefined }],
  ['destination_missing', 'DESTINATION', { destination: null }],
  ['destination_live', 'DESTINATION', { destination: { ...destination, liveStream: occupant } }],
  ['destination_archived', 'DESTINATION', { destination: { ...destination, archived: true } }],
  ['destination_forbidden', 'DESTINATION', { destination: { ...destination, allowed: false } }],
  ['backup_url_missing', 'DESTINATION', { destination: { ...destination, hasBackupURL: false }, wantsBackup: true }],
  ['destination_limit', 'DESTINATION', { destination: { ...destination, excesses: [excess] } }],
  ['not_connected', 'MANAGED', onNoChannel({ hasChannel: false })],
  ['not_connected', 'MANAGED', onNoChannel({ hasChannel: false, offersPlatforms: null })],
  ['not_connected', 'MANAGED', onNoChannel({ hasChannel: false, offersPlatforms: false })],
  ['not_connected', 'MANAGED', onChannel({ state: 'pending' })],
  ['settings_missing', 'MANAGED', onNoChannel({})],
  ['grant_revoked', 'MANAGED', onChannel({ state: 'grant_revoked', isBusy: true, isTitleCut: true })],
  ['scope_missing', 'MANAGED', onChannel({ state: 'scope_missing' })],
  ['live_not_enabled', 'MANAGED', onChannel({ state: 'live_not_enabled' })],
  ['channel_busy', 'MANAGED', onChannel({ isBusy: true })],
  ['quota_exhausted', 'MANAGED', onChannel({ quotaExhaustedUntil: later })],
  ['backup_url_missing', 'MANAGED', { ...onChannel({ hasBackupIngest: false }), wantsBackup: true }],
  ['destination_limit', 'DESTINATION', onChannel({ excess })],
  ['account_at_rest', 'ACCOUNT', { accountRest: '' }],
  ['no_credits', 'BILLING', { creditsLeft: 0 }],
  ['no_credits', 'BILLING', { creditsLeft: -1 }],
  ['schedule_end_past', 'SCHEDULE', { scheduleEndAt: now }],
];

const warned = (warning: Warning): Partial<StreamFacts> => ({
  programmes: [{ kind: 'video', rows: 9, isGap: false, warnings: [warning] }],
});

/** Missing parts that do not block a start, and their messages. */
const leftOut: readonly (readonly [ReadinessCode, Partial<StreamFacts>, RegExp, string?])[] = [
  ['health_bad', onChannel({ isHealthBad: true }), /is bad/, 'MANAGED'],
  ['grant_expiring', onChannel({ grantEndsAt: later }), /ends at 20/, 'MANAGED'],
  ['title_cut', onChannel({ isTitleCut: true }), /cut/, 'MANAGED'],
  ['recurrence_without_end', { recursWithoutEnd: true }, /never ends/, 'SCHEDULE'],
  [
    'draft_not_published',
    { isLive: true, playlists: [{ ...videoPlaylist(movie), isDraftUnpublished: true }] },
    /changes that are not on the air/,
  ],
  [
    'playlist_items_pending',
    { playlists: [videoPlaylist(movie, pending, pending)] },
    /^2 of the 3 items of the video playlist are still/,
  ],
  [
    'playlist_items_skipped',
    { playlists: [videoPlaylist(null, failed, announced, song, movie)] },
    /^4 of the 5 items of the video playlist cannot/,
  ],
  [
    'playlist_items_skipped',
    { playlists: [videoPlaylist(movie), audioPlaylist(silentMovie, song)] },
    /^1 of the 2 items of the audio playlist cannot/,
  ],
  [
    'video_findings',
    { videoUpload: withFindings('interlaced', 'silent', 'black') },
    /^Viewers may notice flaws in the video: black pictures, silence\.$/,
    'VIDEO',
  ],
  [
    'audio_findings',
    { audioUpload: withFindings('loud') },
    /^Viewers may notice flaws in the audio: sound .* loud\.$/,
    'AUDIO',
  ],
  [
    'playlist_findings',
    { playlists: [videoPlaylist(movie, withFindings('frozen'), withFindings('aspect'))] },
    /^Viewers may notice flaws in 1 of the 3 items of the video playlist: pictures that stand still\.$/,
  ],
  ['logo_missing', { logo: null }, /no longer exists/, 'VIDEO'],
  ['logo_not_probed', { logo: { probeState: 'pending', isStill: true } }, /not been examined yet/, 'VIDEO'],
  ['logo_unusable', { logo: { probeState: 'failed', isStill: true } }, /cannot be drawn/, 'VIDEO'],
  ['logo_unusable', { logo: { probeState: 'completed', isStill: false } }, /cannot be drawn/, 'VIDEO'],
  ['stinger_missing', { stinger: null }, /the stream has none/, 'VIDEO'],
  ['stinger_not_probed', { stinger: { ...swoosh, probeState: 'pending' } }, /not been examined yet/, 'VIDEO'],
  ['stinger_unusable', { stinger: { ...swoosh, probeState: 'failed' } }, /cannot be played/, 'VIDEO'],
  ['stinger_unusable', { stinger: { ...swoosh, durationSeconds: null } }, /cannot be played/, 'VIDEO'],
  ['stinger_unusable', { stinger: { ...swoosh, durationSeconds: 0.9 } }, /cannot be played/, 'VIDEO'],
  ['stinger_unusable', { stinger: { ...swoosh, durationSeconds: 3.02 } }, /cannot be played/, 'VIDEO'],
  ['join_without_track', { joinsSound: true }, /cuts/, 'AUDIO'],
  ['under_without_track', { wantsSoundUnder: true }, /no audio plays over/, 'AUDIO'],
  [
    'under_not_prepared',
    { wantsSoundUnder: true, missesSoundUnder: true, audioUpload: song },
    /shorter than 5 seconds/,
    'AUDIO',
  ],
  ['running_not_prepared', { missesRunning: true }, /cannot be prepared/, 'VIDEO'],
  ['next_not_prepared', { missesNext: true }, /a new order in each lap/, 'VIDEO'],
  [
    'collection_empty',
    warned({ code: 'collection_empty', rule: { kind: 'block', name: 'Music', step: 2 } }),
    /^Block “Music”, part 2, has nothing/,
    'PROGRAMME',
  ],
  [
    'collection_cut',
    warned({ code: 'collection_cut', rule: { kind: 'block', name: 'Music' } }),
    /^Block “Music” does not draw from its whole collection/,
    'PROGRAMME',
  ],
  [
    'never_plays',
    warned({ code: 'never_plays', rule: { kind: 'filler', name: '' } }),
    /^The filler plays/,
    'PROGRAMME',
  ],
  [
    'overlap_shadowed',
    warned({ code: 'overlap_shadowed', rule: { kind: 'block', name: 'News' } }),
    /^Block “News” is never on/,
    'PROGRAMME',
  ],
  [
    'live_input_missing',
    warned({ code: 'live_input_missing', rule: { kind: 'block', name: 'Show' } }),
    /^Block “Show” names a live input that is deleted/,
    'PROGRAMME',
  ],
  [
    'live_needs_manifest',
    warned({ code: 'live_needs_manifest', rule: { kind: 'block', name: 'Show' } }),
    /^Block “Show” is never live: the stream encodes/,
    'PROGRAMME',
  ],
  [
    'insert_does_not_fit',
    warned({ code: 'insert_does_not_fit', rule: { kind: 'insert', name: 'Spot' }, leastMinutes: 25 }),
    /^Insert “Spot” has no break: no item lasts 25 minutes/,
    'PROGRAMME',
  ],
  [
    'runs_empty',
    warned({ code: 'runs_empty', rule: { kind: 'insert', name: 'Spot' }, atMs: later.getTime() }),
    /from 2030-01-01T00:00:01.000Z on/,
    'PROGRAMME',
  ],
  [
    'rule_unmeetable',
    warned({
      code: 'rule_unmeetable',
      block: 'Music',
      by: 'artist',
      value: 'X',
      share: 0.31,
      mostShare: 0.07,
      items: 0,
      minutes: 60,
    }),
    /the artist “X” is 31 % of its items, and 60 minutes apart allows 7 %/,
    'PROGRAMME',
  ],
  ['captions_missing', { missesCaptions: true }, /no item of the stream has captions/, 'VIDEO'],
];

describe('ready, though not with everything', () => {
  test.for(leftOut)('with the issue %s', ([code, change, error, path = 'PLAYLIST']) => {
    const issues = judgeReadiness({ ...ready, ...change }, now);
    const suggestion = expect.stringMatching(/^[A-Z].*\.$/);
    expect(issues).toEqual([
      { code, path, outputID: null, stage: 'PREPARATION', error: expect.stringMatching(error), suggestion },
    ]);
    expect(issues.some(isBlocking)).toBe(false);
  });

  test('is told of no sound that is too loud where all is brought to a loudness', () => {
    const facts = { ...ready, isLevelled: true, audioUpload: withFindings('loud') };
    expect(judgeReadiness(facts, now)).toEqual([]);
  });

  test('names what keeps it from starting before what it starts without', () => {
    expect(codesOf({ playlists: [videoPlaylist(movie, failed, pending)], creditsLeft: 0 })).toEqual([
      'no_credits',
      'playlist_items_pending',
      'playlist_items_skipped',
    ]);
  });
});

test('a warning of each of many blocks is one of ten', () => {
  const warnings = Array.from({ length: 50 }, (_, index): Warning => ({
    code: 'collection_empty',
    rule: { kind: 'block', name: `Block ${index}` },
  }));
  const programmes = [{ kind: 'video' as const, rows: 9, isGap: false, warnings }];
  expect(judgeReadiness({ ...ready, programmes }, now)).toHaveLength(10);
});

describe('not ready', () => {
  test.for(alone)('with the issue %s at %s alone: %j', ([code, path, change]) => {
    const issues = judgeReadiness({ ...ready, ...change }, now);
    const sentence = expect.stringMatching(/^[A-Z].*\.$/);
    const outputID = path === 'DESTINATION' && change.destination ? 'out_1' : null;
    expect(issues).toEqual([{ code, path, outputID, stage: 'PREFLIGHT', error: sentence, suggestion: sentence }]);
  });

  test('with every code there is, in the cases here', () => {
    expect(new Set([...alone, ...leftOut].map(([code]) => code))).toEqual(new Set(readinessCodes));
  });

  test('without a platform that is set up, with a way that remains', () => {
    const issues = judgeReadiness({ ...ready, ...onNoChannel({ hasChannel: false, offersPlatforms: false }) }, now);
    expect(issues).toMatchObject([
      { error: expect.stringMatching(/set up here/), suggestion: expect.stringMatching(/destinationID/) },
    ]);
  });

  test('with everything that is missing named at once', () => {
    const bare: Partial<StreamFacts> = {
      videoUpload: undefined,
      audioUpload: null,
      destination: undefined,
      creditsLeft: 0,
      scheduleEndAt: now,
    };
    expect(codesOf(bare)).toEqual([
      'no_video',
      'audio_missing',
      'destination_missing',
      'no_credits',
      'schedule_end_past',
    ]);
    const fallen = {
      destination: { ...destination, archived: true, allowed: false, hasBackupURL: false, excesses: [excess] },
      wantsBackup: true,
    };
    expect(codesOf(fallen)).toEqual([
      'destination_archived',
      'destination_forbidden',
      'destination_limit',
      'backup_url_missing',
    ]);
  });
});

describe('the suggestion where a platform does not accept a stream', () => {
  const suggestionsFor = (quality: Quality, videoCodec: VideoCodec) => {
    const excesses = [excessOver('live-api-s.facebook.com', { quality, framerate: 'f_30', videoCodec })!];
    return judgeReadiness({ ...ready, destination: { ...destination, excesses } }, now).map(
      ({ error, suggestion }) => `${error} ${suggestion}`,
    );
  };
  const taken = ['f_60', 'f_30', 'f_25', 'f_24'].map((framerate) => `q_1080p with ${framerate}`).join(', ');
  const size = `Set quality and framerate to one of these, or less: ${taken}.`;

  test('names each setting that is to be changed, and what to', () => {
    expect(suggestionsFor('q_1080p', 'hevc')).toEqual(['Facebook accepts only H.264. Set videoCodec to h264.']);
    expect(suggestionsFor('q_2160p', 'h264')).toEqual([
      `Facebook does not accept a stream of this quality and framerate. ${size}`,
    ]);
    expect(suggestionsFor('q_2160p', 'av1')).toEqual([
      ...suggestionsFor('q_1080p', 'av1'),
      ...suggestionsFor('q_2160p', 'h264'),
    ]);
  });
});

test('an item is playable once it is examined and has what its playlist is for', () => {
  expect(
    [movie, silentMovie, song, pending, failed, announced, null].map((upload) => [
      isPlayable(upload, 'video'),
      isPlayable(upload, 'audio'),
    ]),
  ).toEqual([
    [true, true],
    [true, false],
    [false, true],
    [false, false],
    [false, false],
    [false, false],
    [false, false],
  ]);
});

test('an item that is left out says why, one that is still being examined says nothing yet', () => {
  const failure = { code: 'unreadable', detail: 'x' };
  const codes = [movie, silentMovie, song, pending, announced, { ...failed, failure }].map((upload) =>
    (['video', 'audio'] as const).map((kind) => failureOfItem({ failure: null, ...upload }, kind)?.code ?? null),
  );
  expect(codes).toEqual([
    [null, null],
    [null, 'audio_silent'],
    ['upload_not_visual', null],
    [null, null],
    ['upload_not_uploaded', 'upload_not_uploaded'],
    ['unreadable', 'unreadable'],
  ]);
  expect(failureOfItem(null, 'video')).toMatchObject({
    code: 'upload_missing',
    detail: expect.stringMatching(/Remove/),
  });
});

it('names the stream that is live on the destination, and when it ends', () => {
  const errorWith = (liveStream: DestinationFacts['liveStream']) =>
    judgeReadiness({ ...ready, destination: { ...destination, liveStream } }, now)[0]!.error;
  const rest = 'which takes one at a time.';
  expect(errorWith(occupant)).toBe(
    `Your stream “Night Radio” is live on the destination until 2026-12-01T20:00:00.000Z, ${rest}`,
  );
  expect(errorWith({ id: 'str_1', name: null, endsAt: null })).toBe(
    `Your stream str_1 is live on the destination, ${rest}`,
  );
});

it('what another output does not take is told of it, and keeps the stream from nothing', () => {
  const other = { ...destination, outputID: 'out_2', name: 'Twitch', excesses: [excess], allowed: false };
  const issues = judgeReadiness({ ...ready, otherOutputs: [other], wantsBackup: true }, now);
  expect(issues.map(({ code, outputID }) => [code, outputID])).toEqual([
    ['destination_forbidden', 'out_2'],
    ['destination_limit', 'out_2'],
  ]);
  expect(issues.some(isBlocking)).toBe(false);
  expect(issues[1]!.error).toBe('Output “Twitch”: Twitch does not accept a stream of this quality and framerate.');
});

it('what the first enabled output does not take keeps the stream from starting, and names it', () => {
  const issues = judgeReadiness({ ...ready, destination: { ...destination, excesses: [excess] } }, now);
  expect(issues).toMatchObject([{ code: 'destination_limit', outputID: 'out_1', stage: 'PREFLIGHT' }]);
});
