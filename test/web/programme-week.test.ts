// The week that the page draws by a programme's rules, beside the blocks that the planner finds by them.
import { expect, test } from 'vitest';
import { blockTimesOf } from '../../lambda/domain/programme/block-times.ts';
import {
  beginsOn,
  changesOf,
  dayMs,
  dayNumber,
  daysOf,
  newBlock,
  ruleOfDays,
} from '../../lambda/web/programmes/rules.ts';
import type { Block, Rules } from '../../lambda/web/programmes/rules.ts';
import { withHours } from '../../lambda/web/programmes/block-hours.ts';
import { rectanglesOf } from '../../lambda/web/programmes/week.ts';

const monday = dayNumber('2026-11-23');
const weekMs = { fromMs: monday * dayMs, untilMs: (monday + 7) * dayMs };

const blockOf = (given: Partial<Block>): Block => ({ ...newBlock('News'), at: '20:00', minutes: 60, ...given });

/** Minutes of the week at which the planner begins and ends the block, in UTC. */
async function plannedMinutes({
  rule,
  at,
  minutes,
  firstDay,
  lastDay,
  liveInputID: _input,
  ...block
}: Block): Promise<number[][]> {
  const hours = { rule: rule!, at: at!, minutes: minutes!, firstDay: firstDay ?? '2026-01-01', lastDay };
  const given = { ...block, guide: 'block' as const, hours, isOrdered: false, steps: [] };
  const times = await blockTimesOf({ blocks: [given], timeZone: 'UTC' }, weekMs);
  return times.map(({ fromMs, untilMs }) => [fromMs, untilMs].map((ms) => (ms - weekMs.fromMs) / 60_000));
}

test.each([
  { rule: 'FREQ=DAILY' },
  { rule: 'FREQ=DAILY', at: '22:30', minutes: 300 },
  { rule: 'FREQ=DAILY;INTERVAL=3', firstDay: '2026-11-02' },
  { rule: 'FREQ=WEEKLY;BYDAY=MO,WE,SU' },
  { rule: 'FREQ=WEEKLY;BYDAY=SU', at: '18:00', minutes: 1440 },
  { rule: 'FREQ=WEEKLY' },
  { rule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU', firstDay: '2026-11-11' },
  { rule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU', firstDay: '2026-11-18' },
  { rule: 'FREQ=DAILY', firstDay: '2026-11-25', lastDay: '2026-11-27' },
  { rule: 'FREQ=WEEKLY;BYDAY=SA', minutes: 7200 },
])('a block is in the week when the planner has it: %o', async (given) => {
  const block = blockOf(given);
  const joined: number[][] = [];
  for (const { day, from, until } of rectanglesOf([block], monday)) {
    const last = joined.at(-1);
    if (last?.[1] === day * 1440 + from) last[1] = day * 1440 + until;
    else joined.push([day * 1440 + from, day * 1440 + until]);
  }
  expect(joined).toEqual(await plannedMinutes(block));
});

test('a block of higher priority is in front, at equal priority the first one', () => {
  const blocks = [
    blockOf({ id: 'usual', rule: 'FREQ=DAILY', minutes: 120 }),
    blockOf({ id: 'special', rule: 'FREQ=WEEKLY;BYDAY=TU', at: '21:00', priority: 80 }),
    blockOf({ id: 'late', rule: 'FREQ=WEEKLY;BYDAY=TU', at: '21:30' }),
  ];
  const depths = rectanglesOf(blocks, monday).filter(({ day }) => day === 1);
  expect(depths.map(({ block, depth }) => [block.id, depth])).toEqual([
    ['usual', 1],
    ['special', 2],
    ['late', 0],
  ]);
});

/** The rule, the time and the length of a block after a drag of its occurrence on a day of the week, from 0. */
function dragged(
  given: Partial<Block>,
  [part, day, days, minutes]: readonly [Parameters<typeof withHours>[1], number, number, number],
): readonly unknown[] {
  const block = withHours(blockOf(given), part, monday + day, { days, minutes });
  return [block.rule, block.at, block.minutes];
}

test.each([
  ['moves on all its days, in steps of five minutes', { rule: 'FREQ=DAILY' }, [0, 0, 13], ['FREQ=DAILY', '20:15', 60]],
  ['leaves midnight on its day', { rule: 'FREQ=DAILY' }, [0, 0, 900], ['FREQ=DAILY', '23:55', 60]],
  ['has one day replaced', { rule: 'FREQ=WEEKLY;BYDAY=MO,WE' }, [2, 1, 0], ['FREQ=WEEKLY;BYDAY=MO,TH', '20:00', 60]],
  ['has each day once', { rule: 'FREQ=WEEKLY;BYDAY=MO,WE' }, [0, 2, 0], ['FREQ=WEEKLY;BYDAY=MO,WE', '20:00', 60]],
  ['stays in its week', { rule: 'FREQ=WEEKLY;BYDAY=SA' }, [5, 4, 0], ['FREQ=WEEKLY;BYDAY=SU', '20:00', 60]],
  ['stays on a day of every day', { rule: 'FREQ=DAILY' }, [1, 2, 5], ['FREQ=DAILY', '20:05', 60]],
  [
    'keeps a time that is on no step',
    { rule: 'FREQ=WEEKLY', at: '20:02' },
    [3, 1, 2],
    ['FREQ=WEEKLY;BYDAY=FR', '20:02', 60],
  ],
  [
    'does not leave its days',
    { rule: 'FREQ=WEEKLY;BYDAY=WE', firstDay: '2026-11-25' },
    [2, -1, 30],
    ['FREQ=WEEKLY;BYDAY=WE', '20:30', 60],
  ],
] as const)('a dragged block %s', (_, given, [day, days, minutes], expected) => {
  expect(dragged(given, ['whole', day, days, minutes])).toEqual(expected);
});

test('a dragged edge changes the length, and the other edge keeps its time', () => {
  const daily = { rule: 'FREQ=DAILY' };
  expect(dragged(daily, ['end', 0, 0, 42])).toEqual(['FREQ=DAILY', '20:00', 100]);
  expect(dragged(daily, ['end', 0, 0, -300])).toEqual(['FREQ=DAILY', '20:00', 5]);
  expect(dragged(daily, ['start', 0, 0, -31])).toEqual(['FREQ=DAILY', '19:30', 90]);
  expect(dragged(daily, ['start', 0, 0, 300])).toEqual(['FREQ=DAILY', '20:55', 5]);
  expect(dragged({ ...daily, minutes: 10_000 }, ['end', 0, 0, 900])).toEqual(['FREQ=DAILY', '20:00', 10_080]);
});

test('a rule of another form than days and weeks is left to the API', () => {
  for (const rule of ['FREQ=MONTHLY;BYDAY=1FR', 'FREQ=WEEKLY;BYDAY=MO;COUNT=3', 'FREQ=DAILY;BYDAY=MO', 'so'])
    expect(beginsOn(blockOf({ rule }), monday)).toBeNull();
  expect(ruleOfDays(daysOf('RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR')!)).toBe('FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR');
});

test('a change sends the changed rules only, and no hours of a block that is always on', () => {
  const rules: Rules = {
    timeZone: 'UTC',
    blocks: [],
    inserts: [],
    separation: [],
    filler: null,
    insertSecondsPerHour: null,
  };
  expect(changesOf(rules, { ...rules, filler: { uploadID: '' } })).toEqual({ filler: {} });
  const { blocks } = changesOf(rules, { ...rules, blocks: [newBlock('Music')] }) as { blocks: object[] };
  expect(Object.keys(blocks[0]!)).not.toContain('at');
});
