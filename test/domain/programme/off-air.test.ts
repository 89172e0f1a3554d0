// Sign-off: blocks whose items are no programme, without breaks, queued items and filler among them.
import { expect, test } from 'vitest';
import { GuideBlocks } from '../../../lambda/domain/programme/guide-entries.ts';
import { factsOfRow } from '../../../lambda/domain/programme/planned-entries.ts';
import type { PlannedRow } from '../../../lambda/domain/programme/planned-row.ts';
import { at, block, collection, insert, item, items, planned, rules, timeOf } from './programmes.ts';

const all = {
  songs: collection(items('song', 9, (index) => 170 + index)),
  card: collection([item('card', 10)]),
  jingle: collection([item('jingle', 7)]),
  clock: collection([item('clock', 5)]),
  morning: collection([item('morning', 4)]),
  filler: collection(items('filler', 3, (index) => 5 + index)),
};
const programme = rules({
  blocks: [
    block('songs'),
    block('night', {
      isOffAir: true,
      hours: at('02:00', 181),
      starts: 'hard',
      ends: 'fill',
      steps: block('card').steps,
    }),
  ],
  inserts: [
    insert('jingle', { when: { everyItems: 2 } }),
    insert('clock', { when: { atMinutes: [30] } }),
    insert('morning', { when: { afterBlockID: 'night' } }),
  ],
  separation: [{ by: 'upload', tagPrefix: null, items: 3, minutes: 30, strength: 'must' }],
  filler: { from: { collectionID: 'filler' } },
});

const timed = (row: PlannedRow) => `${timeOf(row.startFrame)} ${row.kind} ${row.item.uploadID}`;

test('a sign-off is its own items from its beginning to its end, to the frame, and breaks no rule', async () => {
  const queue = [{ number: 1, item: item('queued', 100) }];
  const { rows } = await planned(programme, all);
  const night = rows.filter(({ blockID }) => blockID === 'night');
  expect(new Set(night.map(({ kind, item: { uploadID } }) => `${kind} ${uploadID}`))).toEqual(
    new Set(['off_air card']),
  );
  expect(timed(night[0]!)).toBe('02:00:00 off_air card');
  const last = night.at(-1)!;
  expect(timeOf(last.startFrame + last.frameCount)).toBe('05:01:00');
  expect(night.some(({ relaxed, refused }) => relaxed !== undefined || refused !== undefined)).toBe(false);
  expect(night).toHaveLength((181 * 60) / 10);
  const from = { fromMs: Date.UTC(2026, 0, 5, 2), queue };
  const { rows: later } = await planned(programme, all, from);
  expect(later.find(({ kind }) => kind === 'queued')?.startFrame).toBeGreaterThan(last.startFrame);
});

test('a sign-off counts for no break but the one after it, and the clock goes on', async () => {
  const { rows } = await planned(programme, all);
  const end = rows.findLastIndex(({ kind }) => kind === 'off_air');
  expect(rows.slice(end + 1, end + 3).map(timed)).toEqual([
    '05:01:00 insert morning',
    expect.stringMatching(/^05:01:04 (item|insert jingle)/),
  ]);
  const clock = rows.filter(({ insertID }) => insertID === 'clock').map(({ startFrame }) => timeOf(startFrame));
  expect(clock.some((time) => time > '02:00' && time < '05:30')).toBe(false);
  expect(clock.filter((time) => time > '05:30').length).toBe(19);
});

test('no guide has a sign-off, also once its block is gone', async () => {
  const { rows } = await planned(programme, all);
  const aired = rows.map((row) => {
    const [startAt, endAt] = [row.startFrame, row.startFrame + row.frameCount].map((frame) => new Date(frame * 40));
    return { startAt: startAt!, endAt: endAt!, itemStartAt: startAt!, occurrence: { planned: factsOfRow(row) } };
  });
  for (const known of [programme, { ...programme, blocks: [] }]) {
    const entries = new GuideBlocks(known).entriesOf(aired);
    expect(entries.length).toBeGreaterThan(300);
    expect(entries.some(({ row }) => row.occurrence.planned.kind === 'off_air')).toBe(false);
    const hidden = entries.findIndex(({ startAt }) => startAt.getTime() >= 2 * 3_600_000);
    expect(entries[hidden]!.startAt.getTime()).toBeGreaterThanOrEqual((5 * 60 + 1) * 60_000);
  }
});
