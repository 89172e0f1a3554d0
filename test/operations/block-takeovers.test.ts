// Takeovers by blocks of programmes that name live inputs: they begin and end with the block.
import { beforeEach, describe, expect, it } from 'vitest';
import { inFuture } from '../support/actors.ts';
import { pretendReceived } from '../support/live-inputs.ts';
import { pretendProbed, testService } from '../support/service.ts';
import { dayMs, takeoversOn } from '../support/timed-takeovers.ts';

const service = testService();
const {
  becomeStable,
  call,
  create,
  data,
  lose,
  newInput,
  settle,
  settleAfter,
  startedStream,
  streamID,
  takeOver,
  takeover,
} = takeoversOn(service);

describe('an input that a block of a programme names', () => {
  let programmeID: string;
  let songs: string;
  beforeEach(async () => {
    const { body } = await call('POST', '/uploads', { name: 'Song', mimeType: 'video/mp4', folder: 'Songs' });
    await pretendProbed(service, body.id, { durationSeconds: 200 });
    songs = await create('/collections', { name: 'Songs', kind: 'video', source: { folder: 'Songs' } });
    programmeID = await create('/programmes', { streamID: streamID(), timeZone: 'UTC' });
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

  const endReasons = async () =>
    (await service.pool().query('select end_reason from takeovers')).rows.map(({ end_reason: reason }) => reason);

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
    expect(await data().takeovers.openOf(streamID())).toBeNull();
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
    const session = await pretendReceived(service, id);
    await becomeStable(id);
    const first = await takeover();
    await publish(show(90));
    await settle();
    const prolonged = await takeover();
    expect(prolonged).toMatchObject({ takeoverID: first.takeoverID, state: 'shown' });
    expect(Date.parse(prolonged.endAt) - Date.parse(first.endAt)).toBe(60 * 60_000);
    await lose(session);
    await pretendReceived(service, id);
    const chosen = inFuture(600);
    expect((await takeOver(id, { endAt: chosen })).body.takeoverID).toBe(first.takeoverID);
    await publish(show(120));
    await settleAfter(2);
    expect((await takeover()).endAt).toBe(chosen);
    await publish(show(120, {}));
    await settle();
    expect((await takeover()).endAt).toBe(chosen);
  });

  it('ends its takeover when a publish does not name it any more', async () => {
    const id = await newInput();
    await publish(blockOf('show', [-60, 60], { liveInputID: id }));
    await pretendReceived(service, id);
    await becomeStable(id);
    await publish(blockOf('show', [-60, 60]));
    await settle();
    expect(await endReasons()).toEqual(['time_over']);
  });

  it('ends its takeover with its programme, also if that has never ended it', async () => {
    const id = await newInput();
    const always = { id: 'show', name: 'Show', steps: [{ id: 'songs', collectionID: songs }], liveInputID: id };
    await call('PATCH', `/programmes/${programmeID}`, { blocks: [always] });
    expect(await call('POST', `/programmes/${programmeID}/publish`)).toMatchObject({ status: 202 });
    await pretendReceived(service, id);
    await becomeStable(id);
    expect(await takeover()).toMatchObject({ state: 'shown', endAt: null });
    expect((await call('DELETE', `/programmes/${programmeID}`)).status).toBe(204);
    await settle();
    expect(await endReasons()).toEqual(['time_over']);
  });

  it('ends its takeover with a block that is on for more than a week, or that a publish ends', async () => {
    const id = await newInput();
    const lastDay = new Date(Date.now() + 9 * dayMs).toISOString().slice(0, 10);
    const daily = { ...blockOf('show', [-60, -60 + 1440], { liveInputID: id }), lastDay };
    await publish(daily);
    await pretendReceived(service, id);
    await becomeStable(id);
    expect(await takeover()).toMatchObject({ state: 'shown', endAt: null });
    await settleAfter(5);
    const { endAt } = await takeover();
    expect(endAt.slice(0, 16)).toBe(`${new Date(Date.parse(lastDay) + dayMs).toISOString().slice(0, 11)}${daily.at}`);
    await publish({ ...daily, lastDay: null });
    await settle();
    expect(await takeover()).toMatchObject({ state: 'shown', endAt: null });
    await publish(blockOf('show', [-60, 30], { liveInputID: id }));
    await settle();
    expect(Date.parse((await takeover()).endAt) - Date.now()).toBeLessThan(31 * 60_000);
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
      const { body } = await call('GET', `/streams/${streamID()}/readiness`);
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
