// Statements of takeovers: one open at a time for each run, its intervals, its planned end, and those that are due.
import { beforeEach, describe, expect, it } from 'vitest';
import { bounds } from '../../../lambda/domain/shared/bounds.ts';
import { actorsOn } from '../../support/actors.ts';
import { pretendPrepared } from '../../support/live-inputs.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { create, data, startedStream } = actorsOn(service);
const takeovers = () => data().takeovers;

let streamID: string;
let liveInputID: string;

beforeEach(async () => {
  streamID = await startedStream();
  await pretendPrepared(service, streamID);
  liveInputID = await create('/live-inputs', { name: 'Studio', streamID, graceSeconds: 10 });
});

const begin = (id: string, endAt: Date | null = null) =>
  takeovers().begin({ id, streamID, liveInputID, startAt: null, endAt, lookAgainAt: null });
const add = (id: string, fromFrame: number, sessionID = 'liv') =>
  takeovers().add(id, { sessionID, fromFrame, toFrame: null, firstSegment: 1 });
const due = async () => (await takeovers().due(12, 10)).map(({ id }) => id);
const ids = async () =>
  (await service.pool().query('select id from takeovers order by id')).rows.map((row) => row.id as string);
const revisions = async () =>
  (await service.pool().query('select timeline_revision from replicas where stream_id = $1', [streamID])).rows.map(
    (row) => row.timeline_revision as number,
  );
const beginNextRun = () =>
  service.pool().query(`update streams set anchored_at = anchored_at + interval '1 second' where id = $1`, [streamID]);

describe('a takeover', () => {
  it('is open until it ends, once', async () => {
    expect(await takeovers().openOf(streamID)).toBeNull();
    expect(await takeovers().lastOf(streamID)).toBeNull();
    await begin('tko');
    expect(await takeovers().openOf(streamID)).toMatchObject({ id: 'tko', live_input_id: liveInputID, intervals: [] });
    expect(await takeovers().streamOf(liveInputID)).toBe(streamID);
    await takeovers().end('tko', 'handed_back');
    await takeovers().end('tko', 'time_over');
    expect(await takeovers().openOf(streamID)).toBeNull();
    expect(await takeovers().streamOf(liveInputID)).toBeNull();
    expect(await takeovers().lastOf(streamID)).toMatchObject({ id: 'tko', ended_at: expect.any(Date) });
    const reasons = await service.pool().query(`select end_reason from takeovers where id = 'tko'`);
    expect(reasons.rows).toEqual([{ end_reason: 'handed_back' }]);
  });

  it('belongs to its run: the next run has none, and begins one of its own', async () => {
    await begin('tko_first');
    await beginNextRun();
    expect(await takeovers().openOf(streamID)).toBeNull();
    expect(await takeovers().lastOf(streamID)).toBeNull();
    expect(await due()).toEqual(['tko_first']);
    await begin('tko_second');
    expect(await takeovers().openOf(streamID)).toMatchObject({ id: 'tko_second' });
    expect(await due()).toEqual([]);
  });

  it('is deleted with the beginning of the next one if it has shown nothing', async () => {
    for (const id of ['tko_shown', 'tko_cancelled', 'tko_last']) {
      await begin(id);
      if (id === 'tko_shown') await add(id, 300);
      await takeovers().end(id, 'handed_back');
    }
    expect(await ids()).toEqual(['tko_last', 'tko_shown']);
    expect(await takeovers().lastOf(streamID)).toMatchObject({ id: 'tko_last' });
  });

  it('is one of the latest ones of its stream that are kept', async () => {
    await service.pool().query(
      `with kept as (
         insert into takeovers (id, stream_id, anchored_at, began_at, ended_at)
         select 'tko_' || n, id, anchored_at, anchored_at + make_interval(secs => n), now()
         from streams cross join generate_series(1, $2) n where id = $1 returning id)
       insert into takeover_intervals select id, 1, 2, 'liv', 1 from kept`,
      [streamID, bounds.takeoversPerStream + 3],
    );
    await service.pool().query(`update takeovers set began_at = began_at - interval '1 day'`);
    await begin('tko');
    const kept = await ids();
    expect(kept).toHaveLength(bounds.takeoversPerStream);
    expect(kept).toEqual(expect.arrayContaining(['tko', 'tko_5']));
    expect(kept).not.toContain('tko_4');
  });

  it('of a deleted input stays until it is ended, and is due', async () => {
    await begin('tko');
    await data().liveInputs.delete(liveInputID);
    expect(await takeovers().openOf(streamID)).toMatchObject({ id: 'tko', live_input_id: null });
    expect(await due()).toEqual(['tko']);
  });
});

describe('intervals', () => {
  it('are in the order of their frames, and agents read each change', async () => {
    await begin('tko');
    const before = await revisions();
    expect(before.length).toBeGreaterThan(0);
    await add('tko', 600, 'liv_b');
    await add('tko', 300, 'liv_a');
    expect(await revisions()).toEqual(before.map((revision) => revision + 2));
    await takeovers().endInterval('tko', 300, 480);
    expect(await revisions()).toEqual(before.map((revision) => revision + 3));
    const expected = [
      { sessionID: 'liv_a', fromFrame: 300, toFrame: 480, firstSegment: 1 },
      { sessionID: 'liv_b', fromFrame: 600, toFrame: null, firstSegment: 1 },
    ];
    expect((await takeovers().openOf(streamID))!.intervals).toEqual(expected);
    expect(await takeovers().intervalsOf(streamID)).toEqual(expected);
    await beginNextRun();
    expect(await takeovers().intervalsOf(streamID)).toEqual([]);
  });

  it('keep an end that is earlier', async () => {
    await begin('tko');
    await add('tko', 300);
    const endOf = async () => (await takeovers().intervalsOf(streamID))[0]!.toFrame;
    await takeovers().endInterval('tko', 300, 900);
    expect(await endOf()).toBe(900);
    await takeovers().endInterval('tko', 300, 1200);
    expect(await endOf()).toBe(900);
    await takeovers().endInterval('tko', 300, 600);
    expect(await endOf()).toBe(600);
  });

  it('replace one that begins at the same frame, whose session was lost before it was shown', async () => {
    await begin('tko');
    await add('tko', 300, 'liv_a');
    await takeovers().endInterval('tko', 300, 300);
    await add('tko', 300, 'liv_b');
    expect(await takeovers().intervalsOf(streamID)).toEqual([
      { sessionID: 'liv_b', fromFrame: 300, toFrame: null, firstSegment: 1 },
    ]);
  });

  it('are known to agents up to the latest twenty', async () => {
    await begin('tko');
    for (let frame = 0; frame < 25; frame++) await add('tko', frame);
    const known = (await takeovers().intervalsOf(streamID)).map(({ fromFrame }) => fromFrame);
    expect(known).toEqual(Array.from({ length: 20 }, (_, place) => place + 5));
  });
});

describe('takeovers that are due', () => {
  it('are those whose planned end has come', async () => {
    await begin('tko', new Date(Date.now() + 60_000));
    expect(await due()).toEqual([]);
    expect(await takeovers().due(120, 10)).toHaveLength(1);
    await takeovers().planEnd('tko', new Date(Date.now() - 1000), null);
    expect(await takeovers().due(12, 10)).toMatchObject([
      { id: 'tko', stream_id: streamID, user_id: expect.any(String) },
    ]);
    expect(await takeovers().due(12, 0)).toEqual([]);
    await takeovers().planEnd('tko', null, null);
    expect(await due()).toEqual([]);
  });

  it('are those that were lost for longer than the grace of their input, unless a session continues them', async () => {
    const pass = (seconds: number) =>
      service.pool().query('update takeovers set lost_at = lost_at - make_interval(secs => $1)', [seconds]);
    await begin('tko');
    await takeovers().lose('tko');
    await pass(9);
    expect(await due()).toEqual([]);
    await takeovers().lose('tko');
    await pass(2);
    expect(await due()).toEqual(['tko']);
    await add('tko', 300);
    expect(await due()).toEqual([]);
    expect(await takeovers().openOf(streamID)).toMatchObject({ lost_at: null });
  });
});
