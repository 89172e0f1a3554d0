// Statements of live inputs and their sessions: one running session, its reports, its end, and their deletion.
import { beforeEach, describe, expect, it } from 'vitest';
import { hashLiveKey } from '../../../lambda/domain/live/live-key.ts';
import { withLoss } from '../../../lambda/domain/live/signal-loss.ts';
import { putToRest, wake } from '../../support/account-rest.ts';
import { actorsOn } from '../../support/actors.ts';
import { pretendPrepared, pretendReceived, source } from '../../support/live-inputs.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { call, create, data, startedStream, user } = actorsOn(service);
const inputs = () => data().liveInputs;
const sessions = () => data().liveSessions;

let streamID: string;
let inputID: string;
const key = 'live_key';
const settings = {
  name: 'Studio',
  takes: 'on_request',
  second_publisher: 'refuse',
  allow: ['203.0.113.0/24'],
  stable_seconds: 5,
  grace_seconds: 15,
  delay_seconds: 10,
  record: false,
  windows: null,
  after_takeover: 'join_in_progress',
  slate_upload_id: null,
  lost_after: { silenceSeconds: 20, blackSeconds: null },
} as const;
const insert = (id: string, of = key) =>
  inputs().insert({ id, userID: user().id, streamID, keySha256: hashLiveKey(of), keyClientID: null, settings });

beforeEach(async () => {
  streamID = await create('/streams', {});
  inputID = `inp_${streamID}`;
  await insert(inputID);
});

const segments = (count: number) => ({ count, sha256: Buffer.alloc(32, count) });
const made = { format: 'q_720p-f_30', encoder: 'libx264 veryfast' };
const begin = (id: string, liveInputID = inputID) =>
  sessions().begin({ id, liveInputID, protocol: 'rtmp', address: '192.0.2.7', ...made }, 2);
const report = (id: string, of = key, more: object = {}) =>
  sessions().report({ id, stored: segments(3), firstPictureAgoSeconds: 7, source, ...more }, hashLiveKey(of));
const pass = (seconds: number, column: string) =>
  service.pool().query(`update live_sessions set ${column} = ${column} - make_interval(secs => $1)`, [seconds]);

describe('inputs', () => {
  it('are found, listed by stream from the oldest on, counted, changed and deleted', async () => {
    const otherStream = await create('/streams', {});
    await insert('inp_second', 'second');
    await inputs().insert({
      id: 'inp_third',
      userID: user().id,
      streamID: otherStream,
      keySha256: hashLiveKey('third'),
      keyClientID: null,
      settings,
    });
    const idsOf = async (stream: string | null) => (await inputs().list(user().id, stream)).map(({ id }) => id);
    expect(await idsOf(streamID)).toEqual([inputID, 'inp_second']);
    expect(await idsOf(null)).toEqual([inputID, 'inp_second', 'inp_third']);
    expect(await inputs().count(user().id, streamID)).toEqual({ of_stream: 2, of_user: 3 });
    expect(await inputs().find(user().id, inputID)).toMatchObject({ ...settings, session: null, is_shown: false });
    expect(await inputs().find('usr_other', inputID)).toBeNull();
    expect(await inputs().lock('usr_other', inputID)).toBeNull();
    expect(await inputs().save(inputID, { ...settings, name: 'Stage', allow: [] })).toMatchObject({
      name: 'Stage',
      allow: [],
    });
    await inputs().delete('inp_second');
    expect(await idsOf(streamID)).toEqual([inputID]);
  });

  it('are found by their key only, while the account is not at rest and the stream is there', async () => {
    expect(await inputs().ofKey(hashLiveKey(key))).toMatchObject({ input: { id: inputID }, stream: { id: streamID } });
    expect(await inputs().ofKey(hashLiveKey('another'))).toBeNull();
    await putToRest(service, user().id, 'disabled');
    expect(await inputs().ofKey(hashLiveKey(key))).toBeNull();
    await wake(service, user().id);
    await inputs().setKey(inputID, hashLiveKey('new'), null);
    expect(await inputs().ofKey(hashLiveKey(key))).toBeNull();
    expect(await inputs().ofKey(hashLiveKey('new'))).not.toBeNull();
    await service.pool().query('update streams set deleted_at = now() where id = $1', [streamID]);
    expect(await inputs().ofKey(hashLiveKey('new'))).toBeNull();
  });

  it('have no key of another input', async () => {
    await expect(insert('inp_other')).rejects.toThrow(/unique/);
  });
});

describe('sessions', () => {
  it('run one at a time for each input, and are the last known after their end', async () => {
    expect(await begin('liv_a')).toBe(true);
    expect(await begin('liv_b')).toBe(false);
    expect(await begin('liv_c', 'inp_nothing')).toBe(false);
    expect(await sessions().end('liv_a', 'disconnected', segments(4))).toEqual({
      segment_count: 4,
      live_input_id: inputID,
      user_id: user().id,
      stream_id: streamID,
      stable_seconds: 5,
    });
    expect(await sessions().end('liv_a', 'lost', segments(9))).toBeNull();
    expect(await inputs().find(user().id, inputID)).toMatchObject({
      session: { id: 'liv_a', segmentCount: 4, endReason: 'disconnected' },
      recent_losses: 1,
    });
    expect(await begin('liv_b')).toBe(true);
    expect((await inputs().find(user().id, inputID))!.session).toMatchObject({ id: 'liv_b', endedAt: null });
  });

  it('of a stream are bounded, whatever the number of its inputs', async () => {
    for (const name of ['second', 'third']) await insert(`inp_${name}`, name);
    expect([await begin('lse_a'), await begin('lse_b', 'inp_second')]).toEqual([true, true]);
    expect(await begin('lse_c', 'inp_third')).toBe(false);
    await sessions().end('lse_a', 'disconnected', null);
    expect(await begin('lse_c', 'inp_third')).toBe(true);
  });

  it('are not wanted by a stream off the air, with an old key, or after their end', async () => {
    await begin('liv_a');
    expect(await report('liv_a')).toBe('not_wanted');
    const onAir = `update streams set state = $2 where id = $1`;
    for (const state of ['activating', 'active', 'failing']) {
      await service.pool().query(onAir, [streamID, state]);
      expect(await report('liv_a')).toBeNull();
    }
    expect(await report('liv_a', 'another')).toBe('not_wanted');
    expect(await report('liv_nothing')).toBe('not_wanted');
    await sessions().end('liv_a', 'lost', null);
    expect(await report('liv_a', key, { stored: segments(9) })).toBe('not_wanted');
    expect((await inputs().find(user().id, inputID))!.session).toMatchObject({ segmentCount: 3 });
  });

  it('keep the time of their first picture', async () => {
    await begin('liv_a');
    expect(await sessions().runningOf(inputID)).toEqual({
      id: 'liv_a',
      first_picture_at: null,
      segment_count: 0,
      losses: [],
    });
    await report('liv_a', key, { firstPictureAgoSeconds: null, segmentCount: 0 });
    expect((await sessions().runningOf(inputID))!.first_picture_at).toBeNull();
    await report('liv_a', key, { firstPictureAgoSeconds: 7 });
    const { first_picture_at: first } = (await sessions().runningOf(inputID))!;
    expect(Math.abs(Date.now() - first!.getTime() - 7000)).toBeLessThan(5000);
    await report('liv_a', key, { firstPictureAgoSeconds: 70, stored: segments(8) });
    expect(await sessions().runningOf(inputID)).toEqual({
      id: 'liv_a',
      first_picture_at: first,
      segment_count: 8,
      losses: [],
    });
  });

  it('know that their stream shows them until an end of their interval is known', async () => {
    streamID = await startedStream();
    inputID = `inp_${streamID}`;
    await insert(inputID, 'shown');
    const id = await pretendReceived(service, inputID);
    await pretendPrepared(service, streamID);
    const shown = async () => (await inputs().find(user().id, inputID))!.is_shown;
    expect(await shown()).toBe(false);
    const none = { startAt: null, endAt: null, lookAgainAt: null };
    await data().takeovers.begin({ id: 'tko', streamID, liveInputID: inputID, ...none });
    await data().takeovers.add('tko', { sessionID: id, fromFrame: 300, toFrame: null, firstSegment: 0 });
    expect(await shown()).toBe(true);
    await data().takeovers.endInterval('tko', 300, 600);
    expect(await shown()).toBe(false);
  });

  it('without a report are silent, and losses count for a while', async () => {
    await begin('liv_a');
    expect(await sessions().silentFor(10, 5)).toEqual([]);
    await pass(11, 'reported_at');
    expect(await sessions().silentFor(10, 5)).toEqual([{ id: 'liv_a', live_input_id: inputID }]);
    expect(await sessions().silentFor(10, 0)).toEqual([]);
    await sessions().end('liv_a', 'lost', null);
    expect(await sessions().silentFor(10, 5)).toEqual([]);
    expect(await sessions().lossesSince(inputID, 300)).toBe(1);
    await pass(301, 'ended_at');
    expect(await sessions().lossesSince(inputID, 300)).toBe(0);
  });

  it('that are silent or black count as lost for a while, though they run', async () => {
    await begin('liv_a');
    const counted = async () => {
      const { recent_losses: shown, session } = (await inputs().find(user().id, inputID))!;
      return [await sessions().lossesSince(inputID, 300), shown, session!.losses.length];
    };
    expect(await counted()).toEqual([0, 0, 0]);
    const [before, now] = [new Date(Date.now() - 301_000), new Date()];
    await sessions().setLosses('liv_a', withLoss(withLoss([], 'silent', before), 'black', now));
    expect(await counted()).toEqual([1, 1, 2]);
    await sessions().end('liv_a', 'disconnected', null);
    expect(await counted()).toEqual([2, 2, 2]);
    await pass(301, 'ended_at');
    expect(await counted()).toEqual([0, 0, 2]);
  });

  it('are forgotten but for the latest of each input, and never while they run', async () => {
    for (const id of ['liv_a', 'liv_b', 'liv_c']) {
      await begin(id);
      await sessions().end(id, 'disconnected', null);
      await pass(1, 'began_at');
    }
    await begin('liv_d');
    const kept = async () =>
      (await service.pool().query('select id from live_sessions order by id')).rows.map(({ id }) => id);
    await sessions().forget(2, 1);
    expect(await kept()).toHaveLength(3);
    await sessions().forget(2, 100);
    expect(await kept()).toEqual(['liv_c', 'liv_d']);
    await sessions().forget(0, 100);
    expect(await kept()).toEqual(['liv_d']);
  });
});

it('a deletion of a stream deletes its inputs and their sessions', async () => {
  await begin('liv_a');
  await service.pool().query('delete from streams where id = $1', [streamID]);
  expect(await inputs().find(user().id, inputID)).toBeNull();
  expect(await sessions().end('liv_a', 'lost', null)).toBeNull();
  expect((await call('GET', '/live-inputs')).body).toEqual({ data: [] });
});
