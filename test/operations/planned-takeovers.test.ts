// Takeovers that begin by time: at a planned beginning, later with a stable session, or in a window of their input.
import { describe, expect, it } from 'vitest';
import { keyframeFrom } from '../../lambda/domain/live/takeover-plan.ts';
import { weekdays } from '../../lambda/domain/shared/wall-clock.ts';
import { inFuture } from '../support/actors.ts';
import { pretendReceived } from '../support/live-inputs.ts';
import { testService } from '../support/service.ts';
import { takeoversOn } from '../support/timed-takeovers.ts';

const service = testService();
const { becomeStable, call, data, handBack, lose, newInput, settle, settleAfter, streamID, takeOver, takeover, user } =
  takeoversOn(service);

/** Moves planned times closer, as if time had passed. */
const bringCloser = (seconds: number) =>
  service.pool().query(`update takeovers set start_at = start_at - make_interval(secs => $1)`, [seconds]);

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
    const run = (await data().streams.find(user().id, streamID()))!;
    const { video } = await data().timelines.ofStream(streamID(), { fromSeconds: 0, toSeconds: Infinity });
    const wanted = Math.ceil(((rows[0].start_at.getTime() - run.anchored_at!.getTime()) / 1000) * 30);
    const [interval, ...others] = (await data().takeovers.openOf(streamID()))!.intervals;
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
      [streamID()],
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
    const body = { name: 'Studio', streamID: streamID(), takes: 'in_windows' };
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

  it('ends takeovers of a window without end once it has one', async () => {
    const always = { timeZone, hours: [{ days: [...weekdays], from: '00:00', to: '00:00' }] };
    const windows = daily(-60, 30);
    const id = await newInput({ takes: 'in_windows', windows: always });
    await pretendReceived(service, id);
    await becomeStable(id);
    expect(await takeover()).toMatchObject({ state: 'shown', endAt: null });
    await call('PATCH', `/live-inputs/${id}`, { windows });
    await settle();
    expect((await takeover()).endAt.slice(11, 16)).toBe(windows.hours[0]!.to);
    await call('PATCH', `/live-inputs/${id}`, { takes: 'always' });
    await settleAfter(2);
    expect(await takeover()).toMatchObject({ state: 'shown', endAt: null });
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
