// Occurrences of blocks by their days and hours.
import { expect, test } from 'vitest';
import { blockTimesOf } from '../../../lambda/domain/programme/block-times.ts';
import { block, days } from './programmes.ts';

test.each([
  ['FREQ=WEEKLY', ['2026-11-05', '2026-11-12', '2026-11-19', '2026-11-26']],
  ['FREQ=MONTHLY', ['2026-11-01']],
  ['FREQ=YEARLY', []],
])(
  'a rule that names no days has the day of its first one, in any part of the calendar: %s',
  async (rule, expected) => {
    const hours = { rule, firstDay: '2026-01-01', lastDay: null, at: '20:00', minutes: 60 };
    const blocks = [block('news', { hours })];
    const found: string[] = [];
    for (let fromMs = Date.UTC(2026, 10, 1); fromMs < Date.UTC(2026, 11, 1); fromMs += days(1)) {
      const times = await blockTimesOf({ blocks, timeZone: 'UTC' }, { fromMs, untilMs: fromMs + days(1) });
      found.push(...times.map((each) => new Date(each.fromMs).toISOString().slice(0, 10)));
    }
    expect(found).toEqual(expected);
  },
);
