// The queue of a programme: queued items play next, once each, within the times of blocks.
import { describe, expect, test } from 'vitest';
import { plan } from '../../../lambda/domain/programme/planner.ts';
import { applyRow, stateOfBeginning } from '../../../lambda/domain/programme/planned-row.ts';
import { msOfFrame } from '../../../lambda/domain/programme/frame-grid.ts';
import { at, block, collection, grid, hours, insert, item, items } from './programmes.ts';
import { midnight, planned, requestOf, rules, step, timeOf, told } from './programmes.ts';

const music = collection(
  items('song', 10, () => 200),
  'sequential',
);
const jingle = collection([item('jingle0', 8)]);
const queued = (...seconds: number[]) =>
  seconds.map((each, index) => ({ number: 7 + index, item: item(`queued${index}`, each) }));
const onlyMusic = rules({ blocks: [block('music')] });

describe('queued items', () => {
  test('play first, once, in their order, and the list continues', async () => {
    const { rows, state } = await planned(onlyMusic, { music }, { queue: queued(60, 100) });
    expect(told({ rows: rows.slice(0, 4) })).toEqual([
      '00:00:00 queued0',
      '00:01:00 queued1',
      '00:02:40 song0',
      '00:06:00 song1',
    ]);
    expect(rows.filter(({ kind }) => kind === 'queued')).toHaveLength(2);
    expect(state.queuedThrough).toBe(8);
  });

  test('that were planned before are not planned again', async () => {
    const state = { ...stateOfBeginning(), queuedThrough: 7 };
    const { rows } = await planned(onlyMusic, { music }, { queue: queued(60, 100), state });
    expect(told({ rows: rows.slice(0, 2) })).toEqual(['00:00:00 queued1', '00:01:40 song0']);
  });

  test('leave due breaks their turn, and count as items between breaks', async () => {
    const programme = rules({
      blocks: [block('music')],
      inserts: [insert('jingle', { when: { everyItems: 2 } })],
    });
    const { rows } = await planned(programme, { music, jingle }, { queue: queued(50, 50, 50) });
    expect(rows.slice(0, 6).map(({ item: { uploadID } }) => uploadID)).toEqual([
      'queued0',
      'queued1',
      'jingle0',
      'queued2',
      'song0',
      'jingle0',
    ]);
  });

  test('keep the distance that rules want from the items that follow', async () => {
    const byUpload = { by: 'upload', tagPrefix: null, items: 5, minutes: 0, strength: 'must' } as const;
    const programme = rules({ blocks: [block('music')], separation: [byUpload] });
    const queue = [{ number: 1, item: item('song0', 200) }];
    const { rows } = await planned(programme, { music }, { queue });
    expect(rows.slice(0, 3).map(({ item: { uploadID } }) => uploadID)).toEqual(['song0', 'song1', 'song2']);
  });

  const news = block('news', { hours: at('00:05', 10), starts: 'hard', ends: 'cut', steps: [step('music')] });

  test('that a hard block would cut off wait for a room that they fit', async () => {
    const programme = rules({ blocks: [block('music'), news] });
    const { rows } = await planned(programme, { music }, { queue: queued(400) });
    const row = rows.find(({ kind }) => kind === 'queued')!;
    expect([timeOf(row.startFrame), row.blockID, row.isCutOff]).toEqual(['00:05:00', 'news', false]);
  });

  test('that fit in no room of the next hour play at once, and are cut off', async () => {
    const hourly = Array.from({ length: 24 }, (_, hour) => ({
      ...news,
      id: `news${hour}`,
      hours: at(`${String(hour).padStart(2, '0')}:55`, 3),
    }));
    const programme = rules({ blocks: [block('music'), ...hourly] });
    const { rows } = await planned(programme, { music }, { queue: queued(7200) });
    expect(rows[0]).toMatchObject({ kind: 'queued', isCutOff: true });
    expect(timeOf(rows[1]!.startFrame)).toBe('00:55:00');
    expect(rows.filter(({ kind }) => kind === 'queued')).toHaveLength(1);
  });

  test('play in times without a block, if they fit before the next one', async () => {
    const programme = rules({ blocks: [news] });
    const { rows } = await planned(programme, { music }, { queue: queued(100, 250) });
    expect(told({ rows: rows.slice(0, 2) })).toEqual(['00:00:00 queued0', '00:05:00 queued1']);
  });

  test('are planned again from a row as before', async () => {
    const programme = rules({
      blocks: [block('music'), news],
      inserts: [insert('jingle', { when: { everyItems: 2 } })],
    });
    const collections = { music, jingle };
    const queue = queued(400, 90, 100, 80);
    const { rows } = await planned(programme, collections, { queue });
    const state = stateOfBeginning();
    for (const [index, row] of rows.slice(0, 12).entries()) {
      const fromMs = msOfFrame(grid, row.startFrame);
      const untilMs = midnight + hours(24);
      const heard = rows.slice(0, index).map((each) => {
        return { kind: each.kind, item: each.item, endMs: msOfFrame(grid, each.startFrame + each.frameCount) };
      });
      const facts = { fromMs, untilMs, heard, fromFrame: row.startFrame, state: structuredClone(state), queue };
      expect(plan(await requestOf(programme, collections, facts)).rows).toEqual(rows.slice(index));
      const endMs = msOfFrame(grid, row.startFrame + row.frameCount);
      const own = programme.blocks.find(({ id }) => id === row.blockID);
      applyRow(state, { row, startMs: fromMs, endMs }, own);
    }
  });
});
