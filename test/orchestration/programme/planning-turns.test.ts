// Turns of planning: a plan lets other work run, and ends if it takes too long.
import { expect, test } from 'vitest';
import { blockTimesOf } from '../../../lambda/domain/programme/block-times.ts';
import type { NextTurn } from '../../../lambda/domain/programme/block-times.ts';
import type { Plan } from '../../../lambda/domain/programme/plan-request.ts';
import type { PlannedRow } from '../../../lambda/domain/programme/planned-row.ts';
import { inTurns, planInTurns } from '../../../lambda/orchestration/programme/planning-turns.ts';
import {
  at,
  block,
  collection,
  days,
  idsOf,
  items,
  midnight,
  planned,
  requestOf,
  rules,
} from '../../domain/programme/programmes.ts';

const music = { music: collection(items('song', 40, () => 120)) };
const given = rules({ blocks: [block('music')] });

/** A clock that shows so many ms more each time that it is read. */
function clockOf(stepMs: number): () => number {
  let ms = 0;
  return () => (ms += stepMs);
}

async function rowsOf(parts: AsyncIterable<Plan>): Promise<{ rows: PlannedRow[]; parts: number }> {
  const found: PlannedRow[] = [];
  let count = 0;
  for await (const { rows } of parts) {
    found.push(...rows);
    count++;
  }
  return { rows: found, parts: count };
}

test('other work runs after each turn, and the plan is the same', async () => {
  const whole = await planned(given, music);
  const { rows, parts } = await rowsOf(
    planInTurns(await requestOf(given, music), { mostRows: 3000, clock: clockOf(5) }),
  );
  expect(idsOf(rows)).toEqual(idsOf(whole.rows));
  expect(parts).toBeGreaterThan(whole.rows.length / 4);
});

test('a timer that is due fires before the plan is whole', async () => {
  let [fired, planning] = [false, true];
  const timer = setTimeout(() => (fired = planning), 0);
  await rowsOf(planInTurns(await requestOf(given, music), { mostRows: 3000, clock: clockOf(5) }));
  planning = false;
  clearTimeout(timer);
  expect(fired).toBe(true);
});

test('a plan that takes too long ends with the rows so far', async () => {
  const whole = await planned(given, music);
  const { rows } = await rowsOf(planInTurns(await requestOf(given, music), { mostRows: 3000, clock: clockOf(100) }));
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.length).toBeLessThan(whole.rows.length / 4);
  expect(idsOf(rows)).toEqual(idsOf(whole.rows.slice(0, rows.length)));
  const least = await rowsOf(planInTurns(await requestOf(given, music), { mostRows: 3000, clock: clockOf(60_000) }));
  expect(least.rows).toHaveLength(1);
});

test('a plan has no more rows than wanted', async () => {
  const { rows } = await rowsOf(planInTurns(await requestOf(given, music), { mostRows: 7, clock: clockOf(0) }));
  expect(rows).toHaveLength(7);
});

test('the search for the hours of blocks is counted, and ends between two blocks', async () => {
  const blocks = ['one', 'other', 'third'].map((id) => block(id, { hours: at('06:00', 60) }));
  const search = (nextTurn: NextTurn) =>
    blockTimesOf({ blocks, timeZone: 'UTC' }, { fromMs: midnight, untilMs: midnight + days(30) }, nextTurn);
  let [usedMs, turns] = [0, 0];
  const use = (ms: number) => void (usedMs += ms);
  await inTurns({ use, useDatabase: use, assertMayContinue: async () => void turns++ }, search);
  expect([usedMs > 0, turns]).toEqual([true, blocks.length]);
  const end = async () => {
    if (--turns === 0) throw new Error('over');
  };
  turns = 2;
  await expect(inTurns({ use, useDatabase: use, assertMayContinue: end }, search)).rejects.toThrow('over');
  expect(turns).toBe(0);
});
