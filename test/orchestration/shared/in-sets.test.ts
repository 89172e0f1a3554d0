// Work in sets: repeatedly failing work is found, and does not delay the rest.
import { expect, it } from 'vitest';
import { inSets } from '../../../lambda/orchestration/shared/in-sets.ts';
import { testDatabase } from '../../support/database.ts';

const database = testDatabase();

/** Handles numbers in sets of 8. @returns the handled numbers, set by set, and the outcome of the whole */
async function handleAll(count: number, bad: readonly number[]) {
  const waiting = new Set(Array.from({ length: count }, (_, index) => String(index)));
  const sets: string[][] = [];
  const outcome = await inSets(
    database.pool(),
    8,
    async (_data, except, atMost) =>
      [...waiting]
        .filter((id) => !except.includes(id))
        .slice(0, atMost)
        .map((id) => ({ id })),
    async (_data, rows) => {
      const broken = rows.find(({ id }) => bad.includes(Number(id)));
      if (broken) throw new Error(`${broken.id} is bad`);
      for (const { id } of rows) waiting.delete(id);
      sets.push(rows.map(({ id }) => id));
    },
  ).catch((error: Error) => error.message);
  return { sets, outcome, left: [...waiting] };
}

it('handles everything, so many at once', async () => {
  const { sets, outcome, left } = await handleAll(20, []);
  expect([sets.map((set) => set.length), outcome, left]).toEqual([[8, 8, 4], 20, []]);
});

it.each([[[3]], [[0]], [[19]], [[2, 3, 11]], [[0, 1, 2, 3, 4, 5, 6, 7]]])(
  'handles everything but %j, which fail each time, and says what failed first',
  async (bad) => {
    const { outcome, left } = await handleAll(20, bad);
    expect([outcome, left]).toEqual([`${bad[0]} is bad`, bad.map(String)]);
  },
);
