// Live inputs whose contributors are silent or black: the loss in answers and events, the return, and its waits.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../lambda/data/database.ts';
import type { SessionSignal } from '../../lambda/domain/live/signal-loss.ts';
import { applySignal } from '../../lambda/orchestration/live/signal-losses.ts';
import { applyStableSession, endDueTakeover } from '../../lambda/orchestration/live/takeovers.ts';
import { actorsOn } from '../support/actors.ts';
import { liveIngestOn } from '../support/live-ingest-role.ts';
import { pretendPrepared, pretendReceived } from '../support/live-inputs.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, create, data, startedStream, user } = actorsOn(service);
const { transaction } = liveIngestOn(service);

let streamID: string;
beforeEach(async () => {
  streamID = await startedStream();
  await pretendPrepared(service, streamID);
});

const lostAfter = { silenceSeconds: 5, blackSeconds: 10 };
const never = { silenceSeconds: null, blackSeconds: null };
const newInput = async (more: object = {}): Promise<string> =>
  (await call('POST', '/live-inputs', { name: 'Studio', streamID, takes: 'always', lostAfter, ...more })).body.id;
const inputOf = async (id: string) => (await call('GET', `/live-inputs/${id}`)).body;
const takeover = async () => (await call('GET', `/streams/${streamID}/takeover`)).body.takeover;
const takeOver = (liveInputID: string) => call('POST', `/streams/${streamID}/takeovers`, { liveInputID });

const here = (atSeconds: number, sinceSeconds = 0) => ({ lastSeconds: atSeconds, sinceSeconds });
const away = (lastSeconds: number) => ({ lastSeconds, sinceSeconds: null });
/** A signal of a session at a time of it. */
const signalAt = (atSeconds: number, more: Partial<SessionSignal> = {}): SessionSignal => ({
  atSeconds,
  sound: here(atSeconds),
  pictures: here(atSeconds),
  ...more,
});

const partsOf = async (tx: Database, id: string) => ({
  stream: (await tx.streams.lockAny(streamID))!,
  input: (await tx.liveInputs.find(user().id, id))!,
});
const report = (id: string, sessionID: string, signal: SessionSignal) =>
  transaction(async (tx) => {
    const { stream, input } = await partsOf(tx, id);
    return applySignal(tx, stream, input, { sessionID, signal, now: await tx.now() });
  });
const becomeStable = (id: string, takeoverID = 'tko_first') =>
  transaction(async (tx) => {
    const { stream, input } = await partsOf(tx, id);
    return applyStableSession(tx, stream, input, { id: takeoverID, now: await tx.now() });
  });

/** Makes an input whose session has taken the stream over. */
async function takenOver(more: object = {}, receivedSeconds = 20) {
  const id = await newInput(more);
  const sessionID = await pretendReceived(service, id, receivedSeconds);
  expect(await becomeStable(id)).toBe(true);
  expect(await takeover()).toMatchObject({ state: 'shown', returnsAt: null });
  return { id, sessionID };
}

describe('a live input', () => {
  it('loses no session by its signal unless it wants that', async () => {
    const { body } = await call('POST', '/live-inputs', { name: 'Studio', streamID });
    expect(body.lostAfter).toEqual(never);
    const sessionID = await pretendReceived(service, body.id);
    expect(await report(body.id, sessionID, signalAt(20, { sound: away(0), pictures: away(0) }))).toBe(false);
    expect((await inputOf(body.id)).state).toBe('ready');
    expect((await call('PATCH', `/live-inputs/${body.id}`, { lostAfter })).body.lostAfter).toEqual(lostAfter);
    expect((await call('PATCH', `/live-inputs/${body.id}`, { name: 'Stage' })).body.lostAfter).toEqual(lostAfter);
  });

  it.each([
    [{ silenceSeconds: 4, blackSeconds: null }, '/lostAfter/silenceSeconds'],
    [{ silenceSeconds: null, blackSeconds: 601 }, '/lostAfter/blackSeconds'],
    [{ silenceSeconds: 5 }, '/lostAfter/blackSeconds'],
  ])('refuses to lose sessions after %j', async (wrong, path) => {
    const { status, body } = await call('POST', '/live-inputs', { name: 'Studio', streamID, lostAfter: wrong });
    expect([status, body.errors.map((fault: { path: string }) => fault.path)]).toEqual([422, [path]]);
  });
});

describe('a session that is silent or black for too long', () => {
  it('is lost, named with its reason, and cannot take over though its connection stays', async () => {
    await create('/webhooks', { url: 'https://hooks.example.org/', events: ['live_input.changed'] });
    const { id, sessionID } = await takenOver();
    expect(await report(id, sessionID, signalAt(20, { sound: away(15.1) }))).toBe(false);
    expect(await report(id, sessionID, signalAt(22, { sound: away(15.1) }))).toBe(true);
    const losses = [{ reason: 'silent', lostAt: expect.any(String), returnedAt: null }];
    expect((await call('GET', `/live-inputs/${id}/sessions`)).body.data).toMatchObject([
      { id: sessionID, endedAt: null, endReason: null, losses },
    ]);
    expect(await inputOf(id)).toMatchObject({ state: 'receiving', session: { losses } });
    expect(await takeover()).toMatchObject({ state: 'lost', returnsAt: expect.any(String) });
    expect((await takeOver(id)).body).toMatchObject({
      code: 'nothing_received',
      detail: 'The input counts as lost while its contributor is silent. Change what it sends, or lostAfter.',
    });
    expect(await becomeStable(id)).toBe(false);
    const ofType = `select data->>'state' as state, data->>'endReason' as reason from events
      where type = $1 order by seq`;
    expect((await service.pool().query(ofType, ['live_input.changed'])).rows).toEqual([
      { state: 'ready', reason: null },
      { state: 'idle', reason: 'silent' },
    ]);
  });

  it('is left as soon as agents can know, and not before viewers have seen what came before', async () => {
    const { id, sessionID } = await takenOver();
    const { fromFrame, firstSegment } = (await data().takeovers.openOf(streamID))!.intervals[0]!;
    const lastSeconds = firstSegment * 2 + 31;
    await report(id, sessionID, signalAt(lastSeconds + 10, { pictures: away(lastSeconds) }));
    const [left] = (await data().takeovers.openOf(streamID))!.intervals;
    expect(left!.toFrame! - fromFrame).toBeGreaterThanOrEqual(31 * 30);
    expect(left!.toFrame! - fromFrame).toBeLessThan(33 * 30 + 1);
  });

  it('continues its takeover within the grace once it is stable again, from its first whole group', async () => {
    const { id, sessionID } = await takenOver({ delaySeconds: 30 });
    await report(id, sessionID, signalAt(20, { sound: away(15) }));
    const { takeoverID } = await takeover();
    expect(await report(id, sessionID, signalAt(22, { sound: here(22, 20.5) }))).toBe(true);
    expect(await report(id, sessionID, signalAt(24, { sound: here(24, 20.5) }))).toBe(false);
    expect((await inputOf(id)).state).toBe('ready');
    expect(await becomeStable(id)).toBe(true);
    expect(await takeover()).toMatchObject({ takeoverID, state: 'shown', returnsAt: null });
    const intervals = (await data().takeovers.openOf(streamID))!.intervals;
    expect(intervals.map((interval) => interval.sessionID)).toEqual([sessionID, sessionID]);
    expect(intervals[1]!.firstSegment).toBeGreaterThanOrEqual(11);
    const { firstPictureAt, losses } = (await data().liveSessions.list(id, 1))[0]!;
    const returnedMs = Date.parse(losses[0]!.returnedAt!) - Date.parse(firstPictureAt!);
    expect(Math.round(returnedMs / 1000)).toBe(22);
  });

  it('that returns at once is shown again where it was to be left, and not before', async () => {
    const { id, sessionID } = await takenOver({}, 100);
    await report(id, sessionID, signalAt(20, { sound: away(15) }));
    await report(id, sessionID, signalAt(24, { sound: here(24, 20) }));
    await becomeStable(id);
    const [left, next] = (await data().takeovers.openOf(streamID))!.intervals;
    expect([next!.sessionID, next!.fromFrame]).toEqual([sessionID, left!.toFrame]);
  });

  it('takes over again after the grace, if its input takes over by itself', async () => {
    const { id, sessionID } = await takenOver();
    await report(id, sessionID, signalAt(20, { pictures: away(10) }));
    await service.pool().query(`update takeovers set lost_at = now() - interval '16 seconds'`);
    const [due] = await data().takeovers.due(12, 10);
    await transaction(async (tx) => endDueTakeover(tx, due!, await tx.now()));
    const ended = await service.pool().query('select end_reason from takeovers');
    expect(ended.rows).toEqual([{ end_reason: 'contribution_ended' }]);
    expect(await report(id, sessionID, signalAt(30, { pictures: here(30, 25) }))).toBe(false);
    expect(await becomeStable(id, 'tko_second')).toBe(true);
    expect(await takeover()).toMatchObject({ takeoverID: 'tko_second', state: 'shown' });
  });

  it('has to be stable for a minute after three losses within five minutes', async () => {
    const { id, sessionID } = await takenOver();
    for (const [at, returns] of [
      [20, 30],
      [40, 50],
      [60, 115],
    ] as const) {
      expect(await report(id, sessionID, signalAt(at, { sound: away(at - 5) }))).toBe(true);
      const isLost = await report(id, sessionID, signalAt(returns, { sound: here(returns, at + 1) }));
      expect(isLost).toBe(at === 60);
    }
    expect(await report(id, sessionID, signalAt(119, { sound: here(119, 61) }))).toBe(false);
  });

  it('returns if its input no longer counts it as lost', async () => {
    const { id, sessionID } = await takenOver();
    expect(await report(id, sessionID, signalAt(20, { sound: away(0) }))).toBe(true);
    await call('PATCH', `/live-inputs/${id}`, { lostAfter: never });
    expect(await report(id, sessionID, signalAt(22, { sound: away(0) }))).toBe(false);
    expect((await inputOf(id)).state).toBe('ready');
  });
});
