// The work of checking the rules of a programme: the recurrences of all blocks come from a user.
import { expect, test } from 'vitest';
import { faultsOfRules, programmeBounds } from '../../../lambda/domain/programme/programme-faults.ts';
import { at, block, rules, step } from './programmes.ts';

/** Rules of as many blocks as there may be. */
const rulesOf = (rule: string, dayOf: (index: number) => string) =>
  rules({
    blocks: Array.from({ length: programmeBounds.blocks }, (_, index) =>
      block(`block-${index}`, { steps: [step('music')], hours: { ...at('08:00', 60, rule), firstDay: dayOf(index) } }),
    ),
  });

/** The faults of rules, and how many searches for them there were. */
async function checked(given: ReturnType<typeof rules>) {
  let searches = 0;
  const faults = await faultsOfRules(given, async () => void searches++);
  return { places: faults.map(([pointer]) => pointer), searches };
}

const dayIn =
  (year: number) =>
  (index: number): string =>
    new Date(Date.UTC(year, 0, 1 + index)).toISOString().slice(0, 10);
const never = 'FREQ=WEEKLY;BYMONTH=2;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTHDAY=30';

test('blocks whose recurrences never occur are searched until some faults are found', async () => {
  const { places, searches } = await checked(rulesOf(never, dayIn(2021)));
  expect(places).toEqual([0, 1, 2, 3, 4].map((place) => `blocks/${place}/rule`));
  expect(searches).toBeLessThanOrEqual(2 * places.length);
});

test('equal recurrences are searched once, in a later attempt of the call too', async () => {
  const days = rulesOf('FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=1', () => '2021-01-01');
  expect(await checked(days)).toEqual({ places: [], searches: 2 });
  expect(await checked(days)).toEqual({ places: [], searches: 0 });
  await checked(rulesOf(never, dayIn(2022)));
  expect((await checked(rulesOf(never, dayIn(2022)))).searches).toBe(0);
});

test('a check ends with the budget of its call', async () => {
  let left = 3;
  const nextTurn = async () => {
    if (left-- === 0) throw new Error('over');
  };
  await expect(faultsOfRules(rulesOf('FREQ=DAILY', dayIn(2023)), nextTurn)).rejects.toThrow('over');
});
