// Takeovers that begin by time: at a planned beginning, later with a stable session, or in a window of their input.
import { beforeEach, describe, expect, it } from 'vitest';
import { keyframeFrom } from '../../lambda/domain/live/takeover-plan.ts';
import { weekdays } from '../../lambda/domain/shared/wall-clock.ts';
import { KeptBlockWindows } from '../../lambda/orchestration/live/kept-block-windows.ts';
import { settleTakeovers } from '../../lambda/orchestration/live/settle-takeovers.ts';
import { applyStableSession, endSession } from '../../lambda/orchestration/live/takeovers.ts';
import { actorsOn, inFuture, startOptions } from '../support/actors.ts';
import { pretendPrepared, pretendReceived } from '../support/live-inputs.ts';
import { pretendProbed, testService } from '../support/service.ts';

const service = testService();
const { call, create, data, startedStream, transaction, user } = actorsOn(service);

let streamID: string;
beforeEach(async () => {
  streamID = await startedStream();
  await pretendPrepared(service, streamID);
});

const newInput = (more: object = {}) => create('/live-inputs', { name: 'Studio', streamID, ...more });
const takeOver = (liveInputID: string, more: object = {}) =>
  call('POST', `/streams/${streamID}/takeovers`, { liveInputID, ...more });
const takeover = async () => (await call('GET', `/streams/${streamID}/takeover`)).body.takeover;
const handBack = () => call('POST', `/streams/${streamID}/hand-back`);
/** Lets the ingest of some sessions begin and end takeovers. */
const settle = (...own: readonly string[]) => {
  const settling = { newID: startOptions.newID, clock: () => new Date() };
  return settleTakeovers(service.pool(), settling, {
    own: new Set(own),
    windows: new KeptBlockWindows(),
    endsSilent: false,
  });
};
/** Moves planned times closer, as if time had passed. */
const bringCloser = (seconds: number) =>
  service.pool().query(`update takeovers set start_at = start_at - make_interval(secs => $1)`, [seconds]);
const becomeStable = (id: string) =>
  transaction(async (tx) => {
    const stream = (await tx.streams.lockAny(streamID))!;
    const input = (await tx.liveInputs.find(user().id, id))!;
    return applyStableSession(tx, stream, input, { id: `tko_${id}`, now: await tx.now() });
  });
const lose = (sessionID: string) =>
  transaction(async (tx) => endSession(tx, sessionID, { reason: 'lost', stored: null, now: await tx.now() }));

describe('a takeover with a planned beginning', () => {
  it('is planned without a contributor, and begins at the first keyframe from its time on', async () => {
    const id = await newInput();
    const startAt = inFuture(60);
    const { status, body } = await takeOver(id, { startAt, endAt: inFuture(120) });
    expect([status, body]).toEqual([202, { takeoverID: body.takeoverID, liveInputID: id, shownAt: null }]);
    expect(await takeover()).toMatchObject({ state: 'planned', startAt, shownAt: null, returnsAt: null });
    await pretendReceived(service, id);
    await settle();
    expect(await becomeStable(id)).toBe(true);
    expect(await takeover()).toMatchObject({ takeoverID: body.takeoverID, state: 'planned' });
    await bringCloser(48.5);
    const { rows } = await service.pool().query('select start_at from takeovers');
    await settle();
    await settle();
    const shown = await takeover();
    expect(shown).toMatchObject({ takeoverID: body.takeoverID, state: 'shown', returnsAt: null });
    const late = Date.parse(shown.shownAt) - rows[0].start_at.getTime();
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThan(2000);
    const run = (await data().streams.find(user().id, streamID))!;
    const { video } = await data().timelines.ofStream(streamID, { fromSeconds: 0, toSeconds: Infinity });
    const wanted = Math.ceil(((rows[0].start_at.getTime() - run.anchored_at!.getTime()) / 1000) * 30);
    const [interval, ...others] = (await data().takeovers.openOf(streamID))!.intervals;
    expect([interval!.fromFrame, others]).toEqual([keyframeFrom(video, wanted, 30), []]);
  });

  it('waits for a stable contributor after its time, and begins with it', async () => {
    const id = await newInput({ stableSeconds: 10 });
    const { body } = await takeOver(id, { startAt: inFuture(30) });
    await bringCloser(40);
    await settle();
    expect(await takeover()).toMatchObject({ state: 'waiting', shownAt: null });
    const young = await pretendReceived(service, id, 4);
    await settle();
    expect(await becomeStable(id)).toBe(false);
    expect(await takeover()).toMatchObject({ state: 'waiting' });
    await lose(young);
    expect(await takeover()).toMatchObject({ takeoverID: body.takeoverID, state: 'waiting' });
    await pretendReceived(service, id);
    expect(await becomeStable(id)).toBe(true);
    expect(await takeover()).toMatchObject({ takeoverID: body.takeoverID, state: 'shown' });
  });

  it('begins at once if its time is near and the contributor is stable', async () => {
    const id = await newInput();
    await pretendReceived(service, id);
    const startAt = inFuture(11);
    const { body } = await takeOver(id, { startAt });
    expect(Date.parse(body.shownAt)).toBeGreaterThanOrEqual(Date.parse(startAt));
    expect(await takeover()).toMatchObject({ state: 'shown', startAt });
  });

  it('is cancelled by a hand-back, and changed by another request', async () => {
    const id = await newInput();
    const first = await takeOver(id, { startAt: inFuture(60), endAt: inFuture(90) });
    const startAt = inFuture(300);
    const second = await takeOver(id, { startAt });
    expect(second.body).toMatchObject({ takeoverID: first.body.takeoverID, shownAt: null });
    expect(await takeover()).toMatchObject({ state: 'planned', startAt, endAt: null });
    expect((await handBack()).status).toBe(202);
    expect(await takeover()).toBeNull();
    expect((await handBack()).body.code).toBe('not_taken_over');
    await pretendReceived(service, id);
    await bringCloser(400);
    await settle();
    expect([await becomeStable(id), await takeover()]).toEqual([true, null]);
  });

  it('keeps other inputs from the stream until it ends', async () => {
    const [planned, other] = [await newInput(), await newInput({ takes: 'always' })];
    await takeOver(planned, { startAt: inFuture(60), endAt: inFuture(70) });
    await pretendReceived(service, other);
    expect((await takeOver(other)).body.code).toBe('taken_over_already');
    expect(await becomeStable(other)).toBe(true);
    expect(await takeover()).toMatchObject({ liveInputID: planned, state: 'planned' });
    await service.pool().query(`update takeovers set end_at = now()`);
    await settle();
    expect(await takeover()).toBeNull();
    expect((await takeOver(other)).status).toBe(202);
  });

  it('ends with its stream, and does not stay due', async () => {
    await takeOver(await newInput(), { startAt: inFuture(60) });
    await service.pool().query(
      `with gone as (update streams set deleted_at = now() where id = $1 returning id)
       delete from live_inputs using gone where stream_id = gone.id`,
      [streamID],
    );
    await settle();
    expect(await data().takeovers.due(12, 100)).toEqual([]);
    expect((await service.pool().query('select end_reason from takeovers')).rows).toEqual([
      { end_reason: 'stream_stopped' },
    ]);
  });

  it('has to end after its beginning', async () => {
    const id = await newInput();
    const { status, body } = await takeOver(id, { startAt: inFuture(60), endAt: inFuture(60) });
    expect([status, body.errors[0].path]).toEqual([422, '/endAt']);
    expect(await takeover()).toBeNull();
  });

  it('begins now by a request without a time', async () => {
    const id = await newInput();
    const planned = await takeOver(id, { startAt: inFuture(600) });
    await pretendReceived(service, id);
    expect((await takeOver(id)).body).toMatchObject({
      takeoverID: planned.body.takeoverID,
      shownAt: expect.any(String),
    });
    expect(await takeover()).toMatchObject({ state: 'shown', startAt: null });
  });
});

describe('an input that takes over in windows', () => {
  const timeZone = 'UTC';
  const daily = (fromMinutes: number, toMinutes: number) => {
    const timeOf = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16);
    return { timeZone, hours: [{ days: [...weekdays], from: timeOf(fromMinutes), to: timeOf(toMinutes) }] };
  };

  it('needs windows', async () => {
    const body = { name: 'Studio', streamID, takes: 'in_windows' };
    const refused = await call('POST', '/live-inputs', body);
    expect([refused.status, refused.body.errors[0].path]).toEqual([422, '/windows']);
    const id = await newInput({ takes: 'in_windows', windows: daily(0, 60) });
    const { status, body: cleared } = await call('PATCH', `/live-inputs/${id}`, { windows: null });
    expect([status, cleared.errors[0].path]).toEqual([422, '/windows']);
    expect((await call('PATCH', `/live-inputs/${id}`, { takes: 'always', windows: null })).body.windows).toBeNull();
    const malformed = { timeZone: 'Nowhere/Else', hours: [] };
    expect((await call('PATCH', `/live-inputs/${id}`, { windows: malformed })).status).toBe(422);
  });

  it('takes over with a session that becomes stable in one, until its end', async () => {
    const windows = daily(-60, 30);
    const id = await newInput({ takes: 'in_windows', windows });
    await pretendReceived(service, id);
    await becomeStable(id);
    const shown = await takeover();
    expect(shown).toMatchObject({ liveInputID: id, state: 'shown' });
    expect(shown.endAt.slice(11, 16)).toBe(windows.hours[0]!.to);
  });

  it('takes over with a session that is stable before the window, once in it', async () => {
    const id = await newInput({ takes: 'in_windows', windows: daily(60, 120) });
    const session = await pretendReceived(service, id);
    await becomeStable(id);
    await settle(session);
    expect(await takeover()).toBeNull();
    await call('PATCH', `/live-inputs/${id}`, { windows: daily(-60, 120) });
    await settle(session);
    expect(await takeover()).toMatchObject({ liveInputID: id, state: 'shown' });
    await handBack();
    await service.pool().query(`update takeover_intervals set to_frame = 0`);
    await settle(session);
    expect(await takeover()).toBeNull();
    // It may have begun by hand before the window.
    await service.pool().query(`update takeovers set began_at = now() - interval '2 days'`);
    await settle(session);
    expect(await takeover()).toBeNull();
    await service.pool().query(`update takeovers set ended_at = now() - interval '1 day'`);
    await settle(session);
    expect(await takeover()).toMatchObject({ liveInputID: id, state: 'shown' });
  });

  it('is looked after by the ingest that holds its session, and by no other', async () => {
    const id = await newInput({ takes: 'in_windows', windows: daily(60, 120) });
    const session = await pretendReceived(service, id);
    await becomeStable(id);
    await call('PATCH', `/live-inputs/${id}`, { windows: daily(-60, 120) });
    await settle();
    await settle('lse_of_another_ingest');
    expect(await takeover()).toBeNull();
    await settle(session);
    expect(await takeover()).toMatchObject({ liveInputID: id, state: 'shown' });
  });
});

describe('an input that a block of a programme names', () => {
  let programmeID: string;
  let songs: string;
  beforeEach(async () => {
    const { body } = await call('POST', '/uploads', { name: 'Song', mimeType: 'video/mp4', folder: 'Songs' });
    await pretendProbed(service, body.id, { durationSeconds: 200 });
    songs = await create('/collections', { name: 'Songs', kind: 'video', source: { folder: 'Songs' } });
    programmeID = await create('/programmes', { streamID, timeZone: 'UTC' });
  });

  /** A block that lasts from some minutes from now to others. */
  const blockOf = (id: string, [fromMinutes, toMinutes]: readonly [number, number], more: object = {}) => {
    const at = new Date(Date.now() + fromMinutes * 60_000).toISOString().slice(11, 16);
    const hours = { rule: 'FREQ=DAILY', at, minutes: toMinutes - fromMinutes };
    return { id, name: id, ...hours, steps: [{ id: 'songs', collectionID: songs }], ...more };
  };
  const draft = (...blocks: readonly object[]) => {
    const always = { id: 'music', name: 'Music', steps: [{ id: 'songs', collectionID: songs }] };
    return call('PATCH', `/programmes/${programmeID}`, { blocks: [...blocks, always] });
  };
  const publish = async (...blocks: readonly object[]) => {
    expect(await draft(...blocks)).toMatchObject({ status: 200 });
    expect(await call('POST', `/programmes/${programmeID}/publish`)).toMatchObject({ status: 202 });
  };

  it('takes over with a session that becomes stable while the block is on, until its end', async () => {
    const id = await newInput();
    const show = blockOf('show', [-60, 30], { liveInputID: id });
    await draft(show);
    const session = await pretendReceived(service, id);
    await becomeStable(id);
    await settle(session);
    expect(await takeover()).toBeNull();
    await publish(show);
    await becomeStable(id);
    const shown = await takeover();
    expect(shown).toMatchObject({ liveInputID: id, state: 'shown', returnsAt: null });
    const [hour, minute] = show.at.split(':').map(Number);
    expect(shown.endAt.slice(11)).toBe(new Date(Date.UTC(2030, 0, 1, hour! + 1, minute! + 30)).toISOString().slice(11));
  });

  it('takes over when the block begins, and hands the stream back at its end', async () => {
    const id = await newInput();
    await publish(blockOf('show', [60, 120], { liveInputID: id }));
    const session = await pretendReceived(service, id);
    await becomeStable(id);
    await settle(session);
    expect(await takeover()).toBeNull();
    await publish(blockOf('show', [0, 60], { liveInputID: id }));
    await settle('lse_of_another_ingest');
    expect(await takeover()).toBeNull();
    await settle(session);
    const { takeoverID, shownAt, endAt } = await takeover();
    await service.pool().query(`update takeovers set end_at = now() + interval '10 seconds'`);
    await settle(session);
    const { rows } = await service.pool().query('select end_reason, ended_at from takeovers');
    expect(rows).toEqual([{ end_reason: 'time_over', ended_at: expect.any(Date) }]);
    expect([Date.parse(endAt) > Date.parse(shownAt), takeoverID]).toEqual([true, expect.stringMatching(/^tko_/)]);
    await settle(session);
    expect(await data().takeovers.openOf(streamID)).toBeNull();
  });

  it('does not take over while a block of higher priority is on', async () => {
    const id = await newInput();
    await publish(
      blockOf('show', [-60, 60], { liveInputID: id }),
      blockOf('news', [-1, 10], { priority: 60, starts: 'hard' }),
    );
    const session = await pretendReceived(service, id);
    await becomeStable(id);
    await settle(session);
    expect(await takeover()).toBeNull();
  });

  it('takes over no longer once a published version does not name it', async () => {
    const id = await newInput();
    await publish(blockOf('show', [-60, 60], { liveInputID: id }));
    await publish(blockOf('show', [-60, 60]));
    const session = await pretendReceived(service, id);
    await becomeStable(id);
    await settle(session);
    expect(await takeover()).toBeNull();
  });

  it('follows a publish that prolongs its block or ends it, but keeps an end that a user chose', async () => {
    const id = await newInput();
    const whole = blockOf('show', [-60, 0]);
    const show = (until: number, more: object = { liveInputID: id }) => ({ ...whole, minutes: 60 + until, ...more });
    await publish(show(30));
    await pretendReceived(service, id);
    await becomeStable(id);
    const first = await takeover();
    await publish(show(90));
    const prolonged = await takeover();
    expect(prolonged).toMatchObject({ takeoverID: first.takeoverID, state: 'shown' });
    expect(Date.parse(prolonged.endAt) - Date.parse(first.endAt)).toBe(60 * 60_000);
    const chosen = inFuture(600);
    await service.pool().query('update takeovers set end_at = $1', [chosen]);
    await publish(show(120));
    expect((await takeover()).endAt).toBe(chosen);
    const end = new Date(Date.parse(prolonged.endAt) + 30 * 60_000);
    await service.pool().query('update takeovers set end_at = $1', [end]);
    await publish(show(120, {}));
    await settle();
    const { rows } = await service.pool().query('select end_reason from takeovers');
    expect(rows).toEqual([{ end_reason: 'time_over' }]);
  });

  it('has to be one of the stream, and is shown in the programme', async () => {
    const id = await newInput();
    const other = await startedStream();
    const ofOther = await create('/live-inputs', { name: 'Studio', streamID: other });
    const { status, body } = await draft(blockOf('show', [0, 60], { liveInputID: ofOther }));
    expect([status, body.code, body.errors[0].path]).toEqual([422, 'programme_invalid', '/blocks/0/liveInputID']);
    const { body: named } = await draft(blockOf('show', [0, 60], { liveInputID: id }));
    expect(named.blocks.map((each: { liveInputID: string | null }) => each.liveInputID)).toEqual([id, null]);
    await publish(blockOf('show', [0, 60]));
    await draft(blockOf('show', [0, 60], { liveInputID: id }));
    const { body: comparison } = await call('GET', `/programmes/${programmeID}/comparison`);
    expect([comparison.changedRules, comparison.differences]).toEqual([['blocks/show'], []]);
  });

  it('is missed in the readiness once it is deleted, and a publish is refused then', async () => {
    const id = await newInput();
    const warnings = async () => {
      const { body } = await call('GET', `/streams/${streamID}/readiness`);
      return body.issues.filter(({ code }: { code: string }) => code.startsWith('live_'));
    };
    await publish(blockOf('show', [0, 60], { liveInputID: id }));
    expect(await warnings()).toEqual([]);
    await service.pool().query(`update streams set stream_backend = 'ffmpeg'`);
    expect(await warnings()).toMatchObject([{ code: 'live_needs_manifest', path: 'PROGRAMME', stage: 'PREPARATION' }]);
    expect((await call('DELETE', `/live-inputs/${id}`)).status).toBe(204);
    const error = 'Block “show” names a live input that is deleted.';
    expect(await warnings()).toMatchObject([{ code: 'live_input_missing', error, stage: 'PREPARATION' }]);
    const refused = await call('POST', `/programmes/${programmeID}/publish`);
    expect([refused.status, refused.body.errors[0].path]).toEqual([422, '/blocks/0/liveInputID']);
  });
});
