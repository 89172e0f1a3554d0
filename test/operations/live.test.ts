// Live inputs and takeovers by the API: keys that are shown once, states, refusals with a remedy, and the way back.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../lambda/data/database.ts';
import { hashLiveKey } from '../../lambda/domain/live/live-key.ts';
import { livePassphrasePlace } from '../../lambda/domain/shared/sealed-places.ts';
import {
  applyStableSession,
  endDueTakeover,
  endSession,
  leaveLateSession,
} from '../../lambda/orchestration/live/takeovers.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { actorsOn, inFuture } from '../support/actors.ts';
import { liveIngestOn } from '../support/live-ingest-role.ts';
import { pretendPrepared, pretendReceived, reportReceived, source } from '../support/live-inputs.ts';
import { testDataKey, testService } from '../support/service.ts';
import type { Answer } from '../support/service.ts';

const service = testService();
const { call, create, data, startedStream, user } = actorsOn(service);
const { transaction } = liveIngestOn(service);

let streamID: string;
beforeEach(async () => {
  streamID = await startedStream();
  await pretendPrepared(service, streamID);
});

const newInput = async (more: object = {}) =>
  (await call('POST', '/live-inputs', { name: 'Studio', streamID, ...more })).body;
const inputOf = async (id: string) => (await call('GET', `/live-inputs/${id}`)).body;
const takeOver = (liveInputID: string, more: object = {}): Promise<Answer> =>
  call('POST', `/streams/${streamID}/takeovers`, { liveInputID, ...more });
const takeover = async () => (await call('GET', `/streams/${streamID}/takeover`)).body.takeover;
const handBack = () => call('POST', `/streams/${streamID}/hand-back`);
const secondsUntil = (at: string) => (Date.parse(at) - Date.now()) / 1000;
/** Moves the run of the stream into the past, as if time had passed. */
const letPass = (seconds: number) =>
  service.pool().query(
    `with moved as (
       update streams set anchored_at = anchored_at - make_interval(secs => $2) where id = $1 returning anchored_at)
     update takeovers t set anchored_at = m.anchored_at from moved m where t.stream_id = $1`,
    [streamID, seconds],
  );
const lose = (sessionID: string) =>
  transaction(async (tx) => endSession(tx, sessionID, { reason: 'lost', stored: null, now: await tx.now() }));

describe('a live input', () => {
  it('has defaults that suit OBS, addresses, and a key in one answer only', async () => {
    const { key, ...input } = await newInput();
    expect(key).toMatch(/^live_[\w-]{32}$/);
    expect(input).toEqual({
      id: expect.stringMatching(/^inp_/),
      name: 'Studio',
      streamID,
      takes: 'on_request',
      secondPublisher: 'refuse',
      allow: [],
      stableSeconds: 5,
      graceSeconds: 15,
      lostAfter: { silenceSeconds: null, blackSeconds: null },
      delaySeconds: 10,
      slateUploadID: null,
      slateReason: null,
      record: false,
      windows: null,
      afterTakeover: 'join_in_progress',
      disabledReason: null,
      addresses: [
        { protocol: 'rtmps', url: 'rtmps://127.0.0.1/live' },
        { protocol: 'srt', url: 'srt://127.0.0.1:9710' },
        { protocol: 'rtmp', url: 'rtmp://127.0.0.1/live' },
      ],
      hasPassphrase: false,
      state: 'idle',
      session: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(await inputOf(input.id)).toEqual(input);
    expect((await call('GET', `/live-inputs?streamID=${streamID}`)).body).toEqual({ data: [input] });
    expect((await data().liveInputs.ofKey(hashLiveKey(key)))!.input.id).toBe(input.id);
  });

  it('names the reason why its stream is too large for the ingest, and the remedy', async () => {
    await service
      .pool()
      .query(`update streams set run_quality = 'q_2160p', run_framerate = 'f_60' where id = $1`, [streamID]);
    const { id, disabledReason } = await newInput();
    const detail =
      'The platform has 2 cores for a contributor, and one of this stream takes about 8. ' +
      'Use a smaller quality or framerate for the stream.';
    expect(disabledReason).toEqual({ code: 'live_too_demanding', detail });
    expect((await takeOver(id)).body).toMatchObject({ code: 'nothing_received', detail });
  });

  it('names the remedies if its stream is too large for the part of users who are not funded', async () => {
    await service
      .pool()
      .query(`update streams set run_quality = 'q_1080p', run_framerate = 'f_60' where id = $1`, [streamID]);
    const { id, disabledReason } = await newInput();
    expect(disabledReason).toBeNull();
    await service.pool().query(`update invoices set type = 'free_credits' where user_id = $1`, [user().id]);
    const detail =
      'The platform has 1 of 2 cores for contributors of users without a purchase, ' +
      'and one of this stream takes about 2. Use a smaller quality or framerate for the stream, or buy credits.';
    expect((await inputOf(id)).disabledReason).toEqual({ code: 'live_too_demanding', detail });
  });

  it('is repeated with its key by the same idempotency key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await user().call('POST', '/live-inputs', { name: 'Studio', streamID }, headers);
    const second = await user().call('POST', '/live-inputs', { name: 'Studio', streamID }, headers);
    expect(second.body).toEqual(first.body);
  });

  it('changes the fields that are given, and keeps its key', async () => {
    const { key, ...input } = await newInput({ allow: ['203.0.113.0/24', '2001:db8::/32'], stableSeconds: 2 });
    const { body } = await call('PATCH', `/live-inputs/${input.id}`, { takes: 'always', graceSeconds: 0 });
    expect(body).toEqual({ ...input, takes: 'always', graceSeconds: 0, updatedAt: expect.any(String) });
    expect(await data().liveInputs.ofKey(hashLiveKey(key))).not.toBeNull();
    expect((await call('PATCH', `/live-inputs/${input.id}`, { allow: [] })).body.allow).toEqual([]);
  });

  it.each([
    [{ allow: ['203.0.113.9'] }, '/allow/0'],
    [{ allow: Array.from({ length: 21 }, () => '203.0.113.0/24') }, '/allow'],
    [{ stableSeconds: 1 }, '/stableSeconds'],
    [{ stableSeconds: 61 }, '/stableSeconds'],
    [{ graceSeconds: 301 }, '/graceSeconds'],
    [{ delaySeconds: 7 }, '/delaySeconds'],
    [{ delaySeconds: 31 }, '/delaySeconds'],
    [{ takes: 'never' }, '/takes'],
    [{ streamID: 'nothing' }, '/streamID'],
  ])('refuses %j', async (more, path) => {
    const { status, body } = await call('POST', '/live-inputs', { name: 'Studio', streamID, ...more });
    expect([status, body.errors.map((fault: { path: string }) => fault.path)]).toEqual([422, [path]]);
  });

  it('is refused for the stream of another user', async () => {
    const other = await service.user();
    const { status, body } = await other.call('POST', '/live-inputs', { name: 'Studio', streamID });
    expect([status, body.errors[0].path]).toEqual([422, '/streamID']);
    await newInput();
    expect((await other.call('GET', `/live-inputs?streamID=${streamID}`)).body).toEqual({ data: [] });
  });

  it('is one of at most five of its stream', async () => {
    for (let made = 0; made < 5; made++) await newInput();
    const { status, body } = await call('POST', '/live-inputs', { name: 'Studio', streamID });
    expect([status, body.code, body.used, body.allowed]).toEqual([422, 'limit_reached', 5, 5]);
  });

  it('reports what it receives, from the first connection to the air and back', async () => {
    const { id } = await newInput();
    const session = await pretendReceived(service, id, 1);
    expect(await inputOf(id)).toMatchObject({
      state: 'receiving',
      session: { id: session, protocol: 'rtmp', receivedSeconds: 0, source, endedAt: null, endReason: null },
    });
    expect(JSON.stringify(await inputOf(id))).not.toContain('192.0.2.7');
    await lose(session);
    expect(await inputOf(id)).toMatchObject({ state: 'idle', session: { id: session, endReason: 'lost' } });
    const next = await pretendReceived(service, id, 20);
    expect(await inputOf(id)).toMatchObject({ state: 'ready', session: { id: next, receivedSeconds: 20 } });
    await takeOver(id);
    expect((await inputOf(id)).state).toBe('on_air');
    await handBack();
    expect((await inputOf(id)).state).toBe('ready');
  });

  it('ends its session by a new key', async () => {
    const { id, key } = await newInput();
    const session = await pretendReceived(service, id);
    const { status, body } = await call('POST', `/live-inputs/${id}/rotate-key`);
    expect(status).toBe(200);
    const { key: next, ...shown } = body;
    expect([next === key, shown]).toEqual([false, await inputOf(id)]);
    const report = { id: session, stored: { count: 11, sha256: null }, firstPictureAgoSeconds: 22, source };
    const wanted = async (of: string) => data().liveSessions.report(report, hashLiveKey(of));
    expect([await wanted(key), await wanted(next)]).toEqual(['not_wanted', null]);
  });

  it('has a passphrase in one answer only, sealed for itself, until it is deleted', async () => {
    const [{ id, key }, other] = [await newInput(), await newInput()];
    const rotate = async () => (await call('POST', `/live-inputs/${id}/rotate-passphrase`)).body;
    const opened = async (of: string) => {
      const sealed = await data().liveInputs.sealedPassphraseOf(of);
      return sealed && createSealer([testDataKey]).open(sealed, livePassphrasePlace(id));
    };
    const first = await rotate();
    expect(first).toEqual({ passphrase: expect.stringMatching(/^[\w-]{32}$/) });
    expect([await opened(id), await opened(other.id)]).toEqual([first.passphrase, null]);
    const { passphrase } = await rotate();
    expect([passphrase === first.passphrase, await opened(id)]).toEqual([false, passphrase]);
    const shown = await inputOf(id);
    expect([shown.hasPassphrase, (await inputOf(other.id)).hasPassphrase]).toEqual([true, false]);
    expect(JSON.stringify([shown, (await call('GET', '/live-inputs')).body])).not.toContain(passphrase);
    expect((await call('POST', `/live-inputs/${id}/rotate-key`)).body).toMatchObject({ hasPassphrase: true });
    expect(await data().liveInputs.ofKey(hashLiveKey(key))).toBeNull();
    await service
      .pool()
      .query('update live_inputs set sealed_passphrase = $2 where id = $1', [
        other.id,
        await data().liveInputs.sealedPassphraseOf(id),
      ]);
    const copied = (await data().liveInputs.sealedPassphraseOf(other.id))!;
    expect(() => createSealer([testDataKey]).open(copied, livePassphrasePlace(other.id))).toThrow('authenticate');
    for (let times = 0; times < 2; times++)
      expect((await call('DELETE', `/live-inputs/${id}/passphrase`)).status).toBe(204);
    expect([(await inputOf(id)).hasPassphrase, await opened(id)]).toEqual([false, null]);
  });

  it('is deleted with its stream, even while that is live', async () => {
    const { id, key } = await newInput();
    expect((await call('DELETE', `/streams/${streamID}`)).status).toBe(204);
    expect((await call('GET', `/live-inputs/${id}`)).status).toBe(404);
    expect((await call('GET', '/live-inputs')).body).toEqual({ data: [] });
    expect(await data().liveInputs.ofKey(hashLiveKey(key))).toBeNull();
  });

  it('hands its stream back when it is deleted', async () => {
    const { id } = await newInput();
    await pretendReceived(service, id);
    await takeOver(id);
    expect((await call('DELETE', `/live-inputs/${id}`)).status).toBe(204);
    expect(await takeover()).toMatchObject({ liveInputID: null, state: 'ending', returnsAt: expect.any(String) });
    expect((await call('GET', `/live-inputs/${id}`)).status).toBe(404);
  });
});

describe('a takeover', () => {
  it('is shown in seven to nine seconds, and handed back in ten to twelve', async () => {
    const { id } = await newInput();
    await pretendReceived(service, id);
    expect(await takeover()).toBeNull();
    const { status, body } = await takeOver(id);
    expect([status, body]).toEqual([
      202,
      { takeoverID: expect.stringMatching(/^tko_/), liveInputID: id, shownAt: expect.any(String) },
    ]);
    expect(secondsUntil(body.shownAt)).toBeGreaterThan(5);
    expect(secondsUntil(body.shownAt)).toBeLessThan(9.1);
    const { shownAt, takeoverID } = body;
    const shown = { takeoverID, liveInputID: id, state: 'shown', startAt: null, shownAt, endAt: null, returnsAt: null };
    expect(await takeover()).toEqual(shown);
    const { body: back, status: answered } = await handBack();
    expect([answered, Date.parse(back.returnsAt)]).toEqual([202, expect.any(Number)]);
    expect(Date.parse(back.returnsAt)).toBeGreaterThanOrEqual(Date.parse(shownAt));
    expect(await takeover()).toEqual({ ...shown, state: 'ending', returnsAt: back.returnsAt });
    await letPass(20);
    expect(await takeover()).toBeNull();
    expect((await handBack()).body.code).toBe('not_taken_over');
  });

  it.each([
    { afterTakeover: 'next_item', begins: true },
    { afterTakeover: 'join_in_progress', begins: false },
  ])('continues a list by $afterTakeover once it is handed back', async ({ afterTakeover, begins }) => {
    const { id } = await newInput({ afterTakeover });
    await pretendReceived(service, id);
    await takeOver(id);
    const { returnsAt } = (await handBack()).body;
    const { data: rows } = (await call('GET', `/streams/${streamID}/timeline?limit=100`)).body;
    const starts = rows.map(({ startAt }: { startAt: string }) => startAt);
    expect(starts.includes(returnsAt)).toBe(begins);
  });

  it('copies a long list no sooner than other changes do, and joins it in progress until then', async () => {
    const { id } = await newInput({ afterTakeover: 'next_item' });
    await pretendReceived(service, id);
    const [entry] = (await data().timelines.ofStream(streamID)).video;
    const [item] = entry!.snapshot.items;
    const items = Array.from({ length: 1000 }, () => ({ ...item!, name: '長'.repeat(1000), durationSeconds: 3600 }));
    const elapsed = `select extract(epoch from now() - anchored_at)::float8 as seconds from streams where id = $1`;
    const { seconds } = (await service.pool().query(elapsed, [streamID])).rows[0];
    const snapshot = { ...entry!.snapshot, items };
    await data().timelines.append(streamID, 'video', { ...entry!, offsetSeconds: seconds, snapshot });
    await takeOver(id);
    expect((await handBack()).status).toBe(202);
    expect((await data().timelines.ofStream(streamID)).video).toHaveLength(2);
    await letPass(80);
    await takeOver(id);
    await handBack();
    expect((await data().timelines.ofStream(streamID)).video).toHaveLength(3);
  });

  it('of an input of another stream is refused', async () => {
    const other = await create('/streams', {});
    const { id } = await newInput({ streamID: other });
    await pretendReceived(service, id);
    const { status, body } = await takeOver(id);
    expect([status, body.errors[0].path]).toEqual([422, '/liveInputID']);
  });

  it('of a session that is too young names the seconds to wait', async () => {
    const { id } = await newInput({ stableSeconds: 30 });
    const session = await pretendReceived(service, id, 4);
    const { headers, body } = await takeOver(id);
    expect([body.code, headers.get('retry-after')]).toEqual(['not_stable_yet', '24']);
    expect(body.detail).toBe('The session is too young. Try again in 24 seconds.');
    await reportReceived(service, session, 40);
    await service.pool().query(`update live_sessions set first_picture_at = now() - interval '40 seconds'`);
    expect((await takeOver(id)).status).toBe(202);
  });

  it('has an end that was planned, which has to be after its beginning', async () => {
    const { id } = await newInput();
    await pretendReceived(service, id);
    const refused = await takeOver(id, { endAt: inFuture(5) });
    expect([refused.status, refused.body.errors[0].path]).toEqual([422, '/endAt']);
    expect(await takeover()).toBeNull();
    const endAt = inFuture(60);
    await takeOver(id, { endAt });
    expect(await takeover()).toMatchObject({ state: 'shown', endAt });
    await service.pool().query(`update takeovers set end_at = now()`);
    const [due] = await data().takeovers.due(12, 10);
    await transaction(async (tx) => endDueTakeover(tx, due!, await tx.now()));
    expect(await takeover()).toMatchObject({ state: 'ending' });
    expect(await data().takeovers.due(12, 10)).toEqual([]);
  });

  it('that is lost returns within the stored segments, and the next session continues it', async () => {
    const { id } = await newInput();
    const first = await pretendReceived(service, id);
    const { body: begun } = await takeOver(id);
    await letPass(15);
    await lose(first);
    const lost = await takeover();
    expect(lost).toMatchObject({ takeoverID: begun.takeoverID, state: 'lost' });
    expect(Date.parse(lost.returnsAt)).toBeGreaterThanOrEqual(Date.parse(lost.shownAt));
    const second = await pretendReceived(service, id);
    const continued = await transaction(async (tx) => {
      const stream = (await tx.streams.lockAny(streamID))!;
      const input = (await tx.liveInputs.find(user().id, id))!;
      return applyStableSession(tx, stream, input, { id: 'tko_other', now: await tx.now() });
    });
    expect(continued).toBe(true);
    expect(await takeover()).toMatchObject({ takeoverID: begun.takeoverID, state: 'shown', returnsAt: null });
    expect((await data().takeovers.openOf(streamID))!.intervals.map(({ sessionID }) => sessionID)).toEqual([
      first,
      second,
    ]);
  });

  it('that is lost can be taken up by request, with another end, and ends after the grace', async () => {
    const { id } = await newInput();
    const first = await pretendReceived(service, id);
    const { body: begun } = await takeOver(id, { endAt: inFuture(60) });
    await lose(first);
    const second = await pretendReceived(service, id);
    expect((await takeOver(id)).body.takeoverID).toBe(begun.takeoverID);
    expect(await takeover()).toMatchObject({ state: 'shown', endAt: null });
    await letPass(15);
    await lose(second);
    await service.pool().query(`update takeovers set lost_at = now() - interval '16 seconds'`);
    const [due] = await data().takeovers.due(12, 10);
    await transaction(async (tx) => endDueTakeover(tx, due!, await tx.now()));
    const ended = await service.pool().query('select end_reason from takeovers');
    expect(ended.rows).toEqual([{ end_reason: 'contribution_ended' }]);
  });

  it('begins by itself for an input that takes over always, and not for one that waits for a request', async () => {
    const stable = (id: string) =>
      transaction(async (tx) => {
        const stream = (await tx.streams.lockAny(streamID))!;
        const input = (await tx.liveInputs.find(user().id, id))!;
        return applyStableSession(tx, stream, input, { id: `tko_${id}`, now: await tx.now() });
      });
    const { id } = await newInput();
    expect(await stable(id)).toBe(false);
    await pretendReceived(service, id);
    expect([await stable(id), await takeover()]).toEqual([true, null]);
    await call('PATCH', `/live-inputs/${id}`, { takes: 'always' });
    expect(await stable(id)).toBe(true);
    expect(await takeover()).toMatchObject({ takeoverID: `tko_${id}`, state: 'shown' });
    expect(await stable(id)).toBe(true);
    expect(await takeover()).toMatchObject({ takeoverID: `tko_${id}`, state: 'shown' });
  });

  it('ends when its segments come too late, and the session continues it once it is in time', async () => {
    const { id } = await newInput({ takes: 'always' });
    const sessionID = await pretendReceived(service, id);
    const stream = async (tx: Database) => (await tx.streams.lockAny(streamID))!;
    const begin = () =>
      transaction(async (tx) => {
        const input = (await tx.liveInputs.find(user().id, id))!;
        return applyStableSession(tx, await stream(tx), input, { id: 'tko_1', now: await tx.now() });
      });
    await begin();
    const { firstSegment } = (await data().takeovers.openOf(streamID))!.intervals[0]!;
    // The first segment is sent in about ten seconds, and each further one two seconds later.
    const leave = (segmentCount: number, laterSeconds: number) =>
      transaction(async (tx) => {
        const now = new Date((await tx.now()).getTime() + laterSeconds * 1000);
        return leaveLateSession(tx, await stream(tx), { sessionID, segmentCount, now });
      });
    expect(await leave(firstSegment + 5, 10)).toBe(false);
    expect(await leave(firstSegment + 5, 18)).toBe(true);
    expect(await takeover()).toMatchObject({ state: 'lost' });
    const [interval] = (await data().takeovers.openOf(streamID))!.intervals;
    expect(interval!.toFrame! - interval!.fromFrame).toBeGreaterThan(3 * 60 - 1);
    expect(interval!.toFrame! - interval!.fromFrame).toBeLessThanOrEqual(4 * 60);
    expect([await begin(), await takeover()]).toMatchObject([true, { state: 'shown' }]);
  });

  it('is the item of the public guide while it is shown', async () => {
    await call('PATCH', `/streams/${streamID}`, { name: 'Night radio' });
    const { body: link } = await call('POST', `/streams/${streamID}/guide-link`);
    const { id } = await newInput();
    await pretendReceived(service, id);
    await takeOver(id);
    const guide = async () => (await service.send(new Request(link.nowURL.replace('/now.json', '.json')))).body;
    await service.pool().query('update takeover_intervals set from_frame = 0');
    expect(await guide()).toMatchObject({ now: { title: 'Night radio', artist: null }, next: { title: 'clip' } });
    const { returnsAt } = (await call('POST', `/streams/${streamID}/hand-back`)).body;
    expect(await guide()).toMatchObject({
      now: { title: 'Night radio', endAt: returnsAt },
      next: { title: 'clip', startAt: returnsAt },
    });
  });

  it('is notified to webhooks, from a ready contributor to the return', async () => {
    const events = ['live_input.changed', 'takeover.began', 'takeover.ended'];
    await create('/webhooks', { url: 'https://hooks.example.org/', events });
    const { id } = await newInput({ takes: 'always' });
    const liveSessionID = await pretendReceived(service, id);
    await transaction(async (tx) => {
      const stream = (await tx.streams.lockAny(streamID))!;
      const input = (await tx.liveInputs.find(user().id, id))!;
      await applyStableSession(tx, stream, input, { id: 'tko_1', now: await tx.now() });
    });
    await lose(liveSessionID);
    const { body } = await call('POST', `/streams/${streamID}/hand-back`);
    const ofTypes = 'select type, data from events where type = any ($1) order by seq';
    const { rows } = await service.pool().query(ofTypes, [events]);
    const ofInput = { liveInputID: id, streamID, liveSessionID };
    const ofTakeover = { takeoverID: 'tko_1', liveInputID: id, streamID };
    expect(rows).toMatchObject([
      { type: 'live_input.changed', data: { ...ofInput, state: 'ready', endReason: null } },
      { type: 'takeover.began', data: { ...ofTakeover, liveSessionID, shownAt: expect.any(String) } },
      { type: 'live_input.changed', data: { ...ofInput, state: 'idle', endReason: 'lost' } },
      { type: 'takeover.ended', data: { ...ofTakeover, reason: 'handed_back', returnsAt: body.returnsAt } },
    ]);
  });
});
