// The parts of a live ingest in AWS: its room and its end, its variables, and its reports.
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LiveInputSettings } from '../../lambda/data/live/live-inputs.ts';
import { noSegments } from '../../lambda/domain/live/segment-chain.ts';
import { neverLost } from '../../lambda/domain/live/signal-loss.ts';
import type { ContributionReceiver, EncryptionFault } from '../../lambda/live/contribution.ts';
import { liveVariables, readLiveEnvironment } from '../../lambda/live/environment.ts';
import { ingestPlaces, localPlaces } from '../../lambda/domain/live/ingest-places.ts';
import type { IngestPlaces } from '../../lambda/domain/live/ingest-places.ts';
import { hashLiveKey, livePassphrase, livePassphraseBytes } from '../../lambda/domain/live/live-key.ts';
import { livePassphrasePlace } from '../../lambda/domain/shared/sealed-places.ts';
import { LiveIngest } from '../../lambda/live/live-ingest.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { loadMetrics } from '../../lambda/publisher/environment.ts';
import { loadFields, untilNextReportMs } from '../../lambda/publisher/load-report.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { connectSrt } from '../../lambda/publisher/srt/srt-publisher.ts';
import { actorsOn } from '../support/actors.ts';
import { liveIngestOn } from '../support/live-ingest-role.ts';
import { pretendPrepared } from '../support/live-inputs.ts';
import { fastEncoder } from '../support/media-samples.ts';
import { pretendProbed, testDataKey, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { clip } from './contributor.ts';
import { testSrtListener } from './srt-caller.ts';

const service = testService();
const ingest = liveIngestOn(service);
const { data, transaction, user } = actorsOn(service);
const tools = await findMediaTools(process.env);
const settings: LiveInputSettings = {
  name: 'Studio',
  takes: 'on_request',
  second_publisher: 'refuse',
  allow: [],
  stable_seconds: 4,
  grace_seconds: 2,
  delay_seconds: 8,
  record: false,
  windows: null,
  after_takeover: 'join_in_progress',
  slate_upload_id: null,
  lost_after: neverLost,
};

/** An ingest, the counts of sessions that it reports, and the reasons of its refusals. */
function startIngest(
  places: IngestPlaces,
  steadyClock = () => performance.now(),
  onEvent: (event: string) => void = () => {},
) {
  const counts: number[] = [];
  const refusals: unknown[] = [];
  const door = new LiveIngest({
    pool: ingest.pool(),
    sealer: createSealer([testDataKey]),
    objects: service.objects(),
    tools,
    encoderFor: async () => fastEncoder,
    places,
    onSessions: (count) => counts.push(count),
    newID: (prefix) => `${prefix}_${randomBytes(12).toString('hex')}`,
    clock: () => new Date(),
    steadyClock,
    log: (event, { reason }) => {
      onEvent(event);
      if (event === 'live_session_refused') refusals.push(reason);
    },
  });
  onTestFinished(() => door[Symbol.asyncDispose]());
  const admit = (key: string) => door.admit({ protocol: 'rtmps', key, address: '203.0.113.7' }, () => {});
  return { door, admit, counts, refusals };
}

/** The key of a live input of a user's stream on the air. */
async function keyOfInput(
  owner: TestUser = user(),
  more: Partial<LiveInputSettings> = {},
  format: object = {},
): Promise<string> {
  const create = async (path: string, body: object) => (await owner.call('POST', path, body)).body.id as string;
  const videoUploadObjectID = await create('/uploads', { name: 'clip', mimeType: 'video/mp4' });
  await pretendProbed(service, videoUploadObjectID, { durationSeconds: 7 });
  const destinationID = await create('/destinations', {
    name: 'of tests',
    rtmpURL: 'rtmp://127.0.0.1/live',
    streamKey: randomBytes(8).toString('hex'),
  });
  const streamID = await create('/streams', {
    destinationID,
    quality: 'q_720p',
    framerate: 'f_30',
    videoUploadObjectID,
    ...format,
  });
  await owner.call('POST', `/streams/${streamID}/start`);
  await pretendPrepared(service, streamID);
  const key = randomBytes(24).toString('base64url');
  const keySha256 = createHash('sha256').update(key).digest();
  await data().liveInputs.insert({
    id: `inp_${key}`,
    userID: owner.id,
    streamID,
    keySha256,
    keyClientID: null,
    settings: { ...settings, ...more },
  });
  return key;
}

/** A user with nothing but the free credits. */
async function freeUser(): Promise<TestUser> {
  const made = await service.user(0);
  const invoice = { id: `free_${made.id}`, userID: made.id, type: 'free_credits', method: 'grant', cost: 0 } as const;
  await data().invoices.ensurePaid({ ...invoice, credits: 100 });
  return made;
}

const asReceiver = (answer: unknown) => answer as ContributionReceiver;

describe('a live ingest', () => {
  it('refuses a contributor without room, and reports how many sessions run', async () => {
    const { admit, counts, refusals } = startIngest(ingestPlaces(1));
    const receiver = await admit(await keyOfInput());
    expect(await admit(await keyOfInput(await service.user()))).toBe('not_wanted');
    asReceiver(receiver).ended({ isLost: false });
    await expect.poll(() => counts).toEqual([1, 0]);
    expect(refusals).toEqual(['no_room']);
  });

  it('keeps places for others while a user has as many contributors as one user may have', async () => {
    const { admit, counts, refusals } = startIngest(ingestPlaces(8));
    const keys = [];
    for (let stream = 0; stream < 5; stream++) keys.push(await keyOfInput());
    const answers = await Promise.all(keys.map(admit));
    expect(answers.filter((answer) => answer === 'share_used')).toHaveLength(3);
    expect(refusals).toEqual(['share_used', 'share_used', 'share_used']);
    const others = await admit(await keyOfInput(await service.user()));
    expect(others).toMatchObject({ bytesWaiting: 0 });
    const [first, refused] = [answers.findIndex((each) => each !== 'share_used'), answers.indexOf('share_used')];
    asReceiver(answers[first]).ended({ isLost: false });
    await expect.poll(() => counts.at(-1)).toBe(2);
    expect(await admit(keys[refused]!)).toMatchObject({ bytesWaiting: 0 });
  });

  it('keeps a part of its places for users who are funded, however many of the others come', async () => {
    const { admit, counts, refusals } = startIngest(ingestPlaces(2));
    const unfunded = [await freeUser(), await freeUser()];
    const receiver = asReceiver(await admit(await keyOfInput(unfunded[0])));
    const waiting = await keyOfInput(unfunded[1]);
    expect(await admit(waiting)).toBe('unfunded_share_used');
    expect(await admit(await keyOfInput())).toMatchObject({ bytesWaiting: 0 });
    expect(refusals).toEqual(['unfunded_share_used']);
    receiver.ended({ isLost: false });
    await expect.poll(() => counts.at(-1)).toBe(1);
    expect(await admit(waiting)).toMatchObject({ bytesWaiting: 0 });
  });

  it('has no room for a session of a user who is not funded that needs more than their part', async () => {
    const { admit, refusals } = startIngest(ingestPlaces(2));
    const of1080p60 = { quality: 'q_1080p', framerate: 'f_60' };
    expect(await admit(await keyOfInput(await freeUser(), {}, of1080p60))).toBe('unfunded_share_used');
    expect(await admit(await keyOfInput(user(), {}, of1080p60))).toMatchObject({ bytesWaiting: 0 });
    expect(refusals).toEqual(['unfunded_share_used']);
  });

  it('lets an input rest whose contributor comes and goes, and no other one', async () => {
    let nowMs = 0;
    const { admit, refusals } = startIngest(ingestPlaces(8), () => nowMs);
    const [key, other] = [await keyOfInput(), await keyOfInput()];
    const stay = async (seconds: number) => {
      const receiver = asReceiver(await admit(key));
      expect(receiver).toMatchObject({ bytesWaiting: 0 });
      nowMs += 1000 * seconds;
      receiver.ended({ isLost: false });
    };
    // An encoder that has lost its network returns at once, and stays.
    for (const seconds of [60, 3, 3, 60, 3, 60]) await stay(seconds);
    await stay(3);
    expect(await admit(key)).toBe('resting');
    expect(await admit(other)).toMatchObject({ bytesWaiting: 0 });
    nowMs += 1000;
    await stay(3);
    nowMs += 1000;
    expect(await admit(key)).toBe('resting');
    nowMs += 1000;
    await stay(60);
    expect(refusals).toEqual(['resting', 'resting']);
  });

  it('weighs a session by its format, so that a large one leaves the cores of others to them', async () => {
    const { door, admit, refusals } = startIngest(ingestPlaces(4));
    const [small, large] = [await service.user(), await service.user()];
    await admit(await keyOfInput(small));
    const of1080p60 = { quality: 'q_1080p', framerate: 'f_60' };
    const receiver = asReceiver(await admit(await keyOfInput(large, {}, of1080p60)));
    expect([door.placesInUse, refusals]).toEqual([3, []]);
    expect(await admit(await keyOfInput(large))).toBe('share_used');
    const waiting = await keyOfInput(user(), {}, of1080p60);
    expect(await admit(waiting)).toBe('not_wanted');
    expect(refusals).toEqual(['share_used', 'no_room']);
    receiver.ended({ isLost: false });
    await expect.poll(() => door.placesInUse).toBe(1);
    expect(await admit(waiting)).toMatchObject({ bytesWaiting: 0 });
  });

  it('refuses a session that needs more cores than its machine has, also while no other one is there', async () => {
    for (const places of [ingestPlaces(2), localPlaces(2)]) {
      const { admit, counts, refusals } = startIngest(places);
      expect(await admit(await keyOfInput(user(), {}, { quality: 'q_2160p', framerate: 'f_60' }))).toBe(
        'too_demanding',
      );
      expect([counts, refusals]).toEqual([[], ['too_demanding']]);
    }
  });

  it('admits contributors of a failing stream for two minutes, and then ends their sessions', async () => {
    const { admit, refusals } = startIngest(ingestPlaces(2));
    const key = await keyOfInput();
    const { stream } = (await data().liveInputs.ofKey(hashLiveKey(key)))!;
    await transaction(async (tx) =>
      tx.streamMoves.move((await tx.streams.lockAny(stream.id))!, 'media_interrupted', null),
    );
    const failFor = (seconds: number) =>
      service
        .pool()
        .query(`update stream_transitions set at = now() - make_interval(secs => $1) where to_state = 'failing'`, [
          seconds,
        ]);
    await failFor(110);
    const receiver = asReceiver(await admit(key));
    const { rows } = await service.pool().query('select id from live_sessions where ended_at is null');
    const report = { id: rows[0].id, stored: noSegments, firstPictureAgoSeconds: null, source: null };
    const endOf = () => data().liveSessions.report(report, hashLiveKey(key));
    expect(await endOf()).toBeNull();
    await failFor(121);
    expect(await endOf()).toBe('not_wanted');
    receiver.ended({ isLost: false });
    await expect.poll(async () => (await data().liveSessions.runningOf(`inp_${key}`)) === null).toBe(true);
    expect([await admit(key), refusals]).toEqual(['not_wanted', ['stream_failing']]);
    await transaction(async (tx) =>
      tx.streamMoves.move((await tx.streams.lockAny(stream.id))!, 'media_accepted', null),
    );
    expect(await admit(key)).toMatchObject({ bytesWaiting: 0 });
  });

  it('replaces the contributor of an input in its place, also in the last one of its user', async () => {
    const { admit, refusals } = startIngest(ingestPlaces(2));
    const key = await keyOfInput(user(), { second_publisher: 'replace' });
    const first = asReceiver(await admit(key));
    expect(await admit(key)).toMatchObject({ bytesWaiting: 0 });
    first.ended({ isLost: false });
    expect(await admit(await keyOfInput())).toBe('share_used');
    expect(refusals).toEqual(['share_used']);
  });

  it('keeps the place of a contributor whose connection is lost for a while, and that of no other', async () => {
    let stoppedAtMs: number | null = null;
    const steadyClock = () => stoppedAtMs ?? performance.now();
    const { door, admit, refusals } = startIngest(ingestPlaces(1), steadyClock, (event) => {
      if (event === 'live_session_ended') stoppedAtMs = performance.now();
    });
    const [key, waiting] = [await keyOfInput(), await keyOfInput(await service.user())];
    const isOver = async () => (await data().liveSessions.runningOf(`inp_${key}`)) === null;
    const tags = await clip(tools, { seconds: 5 });
    for (const isLost of [true, false]) {
      stoppedAtMs = null;
      const receiver = asReceiver(await admit(key));
      for (const tag of tags) receiver.receive(tag);
      const segments = async () => (await data().liveSessions.runningOf(`inp_${key}`))!.segment_count;
      await expect.poll(segments, { timeout: 30_000 }).toBeGreaterThan(0);
      receiver.ended({ isLost });
      await expect.poll(isOver, { timeout: 30_000 }).toBe(true);
      await expect.poll(() => door.placesInUse).toBe(isLost ? 1 : 0);
      if (isLost) expect(await admit(waiting)).toBe('not_wanted');
    }
    expect(await admit(waiting)).toMatchObject({ bytesWaiting: 0 });
    expect(refusals).toEqual(['no_room']);
  }, 120_000);

  it('compares the passphrase after the key and the address, and before another contributor is replaced', async () => {
    const { door, admit, refusals } = startIngest(ingestPlaces(2));
    const own = { second_publisher: 'replace', allow: ['203.0.113.0/24'] } as const;
    const [key, plain] = [await keyOfInput(user(), own), await keyOfInput()];
    const sealer = createSealer([testDataKey]);
    await data().liveInputs.setPassphrase(
      `inp_${key}`,
      sealer.seal('of the studio', livePassphrasePlace(`inp_${key}`)),
    );
    const compared: (string | null)[] = [];
    const claim = (of: string, fault: EncryptionFault | null, address = '203.0.113.7') => {
      const faultFor = (passphrase: string | null) => {
        compared.push(passphrase);
        return Promise.resolve(fault);
      };
      return door.admit({ protocol: 'srt', key: of, address, encryption: { faultFor } }, () => {});
    };
    expect(await claim('wrong', null)).toBe('unknown_key');
    expect(await claim(key, null, '192.0.2.1')).toBe('not_wanted');
    expect(compared).toEqual([]);
    const receiver = asReceiver(await claim(key, null));
    for (const fault of ['wrong_passphrase', 'unencrypted'] as const) expect(await claim(key, fault)).toBe(fault);
    expect(await claim(plain, 'encrypted')).toBe('encrypted');
    expect(compared).toEqual(['of the studio', 'of the studio', 'of the studio', null]);
    const { rows } = await service.pool().query('select id from live_sessions where ended_at is null');
    expect(rows).toHaveLength(1);
    receiver.ended({ isLost: false });
    // Other protocols know no passphrase.
    expect(await admit(key)).toMatchObject({ bytesWaiting: 0 });
    expect(refusals).toEqual(['address_not_allowed', 'wrong_passphrase', 'unencrypted', 'encrypted']);
  });

  it('admits a contributor over SRT by the passphrase that was sealed for its input, and no other one', async () => {
    const { door } = startIngest(ingestPlaces(2));
    const key = await keyOfInput();
    const passphrase = livePassphrase(randomBytes(livePassphraseBytes));
    const sealed = createSealer([testDataKey]).seal(passphrase, livePassphrasePlace(`inp_${key}`));
    await data().liveInputs.setPassphrase(`inp_${key}`, sealed);
    const { listener } = await testSrtListener({ firstDelaySeconds: 0 }, { door });
    const connect = (given: string | null) => {
      const target = { url: `srt://127.0.0.1:${listener.port}`, passphrase: given, latencyMs: 120, streamID: key };
      const options = { allowPrivateAddresses: true, connectTimeoutMs: 5000 };
      return connectSrt(target, options, new AbortController().signal);
    };
    for (const wrong of [null, key, 'of another input'])
      await expect(connect(wrong)).rejects.toMatchObject({ code: 'passphrase_refused' });
    const running = `select protocol from live_sessions where live_input_id = $1 and ended_at is null`;
    const sessions = async () => (await service.pool().query(running, [`inp_${key}`])).rows;
    expect(await sessions()).toEqual([]);
    const publisher = await connect(passphrase);
    expect(await sessions()).toEqual([{ protocol: 'srt' }]);
    await publisher.close();
    await expect.poll(sessions).toEqual([]);
  });

  it('that leaves refuses further contributors, and waits for the end of those that it has', async () => {
    const { door, admit, refusals } = startIngest(ingestPlaces(2));
    const receiver = await admit(await keyOfInput());
    let hasLeft = false;
    const left = door.leave().then(() => (hasLeft = true));
    expect(await admit(await keyOfInput())).toBe('not_wanted');
    expect([hasLeft, refusals]).toEqual([false, ['ingest_leaves']]);
    asReceiver(receiver).ended({ isLost: false });
    await left;
  });

  it('that leaves without sessions is gone at once', async () => {
    const { door, counts } = startIngest(ingestPlaces(2));
    await door.leave();
    expect(counts).toEqual([]);
  });
});

describe('the environment of a live ingest', () => {
  const complete: Record<string, string> = {
    ...Object.fromEntries(liveVariables.map((name) => [name, name.toLowerCase()])),
    LIVE_PROTOCOL: 'rtmps',
    LIVE_CORES: '2',
  };

  it('is read once, without a secret or a key in it', () => {
    expect(readLiveEnvironment(complete)).toEqual({
      databaseHost: 'database_host',
      databaseUser: 'database_user',
      databaseName: 'database_name',
      databaseRegion: 'database_region',
      uploadsBucket: 'uploads_bucket',
      releaseParameter: 'live_release_parameter',
      protocol: 'rtmps',
      cores: 2,
    });
    expect(liveVariables.filter((name) => /SECRET|KEY/.test(name))).toEqual([]);
  });

  it.each(liveVariables)('is refused without %s', (missing) => {
    const { [missing]: _, ...others } = complete;
    expect(() => readLiveEnvironment(others)).toThrow(missing);
  });

  it.each([{ LIVE_PROTOCOL: 'srt' }, { LIVE_CORES: '0' }, { LIVE_CORES: '1.5' }, { LIVE_CORES: 'many' }])(
    'is refused with %j',
    (wrong) => {
      expect(() => readLiveEnvironment({ ...complete, ...wrong })).toThrow(`${Object.keys(wrong)[0]} is malformed`);
    },
  );
});

describe('a report of load', () => {
  it('has the metric that scaling and alarms look for', () => {
    const now = new Date('2026-11-29T12:00:00Z');
    expect(loadFields({ cluster: 'cluster', backend: 'live', now }, [[loadMetrics.capacityUsed, 50]])).toEqual({
      _aws: {
        Timestamp: now.getTime(),
        CloudWatchMetrics: [
          {
            Namespace: 'LoopStreaming',
            Dimensions: [['Cluster', 'Backend']],
            Metrics: [{ Name: 'CapacityUsed', Unit: 'Percent' }],
          },
        ],
      },
      Cluster: 'cluster',
      Backend: 'live',
      CapacityUsed: 50,
    });
  });

  it.each([
    ['2026-11-29T12:00:00Z', 30],
    ['2026-11-29T12:00:29Z', 1],
    ['2026-11-29T12:00:31Z', 59],
  ])('is due in the middle of a minute, from %s on in %i s', (now, seconds) => {
    expect(untilNextReportMs(new Date(now))).toBe(1000 * seconds);
  });
});
