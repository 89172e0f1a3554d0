// Windows that blocks of programmes give a live input: the planner's choice of the block opens and ends them.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { blockWindowsOf, takeWindowOf } from '../../../lambda/domain/live/block-windows.ts';
import type { BlockRules, WindowedInput } from '../../../lambda/domain/live/block-windows.ts';
import { ZoneOffsets } from '../../../lambda/domain/programme/breaks.ts';
import type { Block, BlockHours } from '../../../lambda/domain/programme/programme-rules.ts';
import { weekdays } from '../../../lambda/domain/shared/wall-clock.ts';
import { block, days } from '../programme/programmes.ts';

const studio: WindowedInput = { id: 'studio', takes: 'on_request', windows: null };
const evening = Date.UTC(2030, 1, 4, 20);
const minutes = (count: number) => count * 60_000;
const daily = (at: string, length: number): BlockHours => {
  return { rule: 'FREQ=DAILY', firstDay: '2030-01-01', lastDay: null, at, minutes: length };
};
const show = (facts: Partial<Block> = {}) =>
  block('show', { hours: daily('20:00', 60), liveInputID: 'studio', ...facts });
const music = block('music');
const rulesOf = (blocks: readonly Block[], timeZone = 'UTC'): BlockRules => ({ blocks, timeZone });
const windowBy = async (input: WindowedInput, programmes: readonly BlockRules[], now: Date) =>
  takeWindowOf(input, await blockWindowsOf(input, programmes, now), now);
const windowAt = (ms: number, blocks: readonly Block[], input = studio) =>
  windowBy(input, [rulesOf(blocks)], new Date(ms));
const window = (fromMs: number, untilMs: number) => ({ from: new Date(fromMs), until: new Date(untilMs) });

describe('a block that names an input', () => {
  it('opens a window for its occurrences, but for the last seconds, which no takeover would reach', async () => {
    const blocks = [show(), music];
    const expected = window(evening, evening + minutes(60));
    expect(await windowAt(evening - 1, blocks)).toBeNull();
    expect(await windowAt(evening, blocks)).toEqual(expected);
    expect(await windowAt(evening + minutes(60) - 12_001, blocks)).toEqual(expected);
    expect(await windowAt(evening + minutes(60) - 12_000, blocks)).toBeNull();
    expect(await windowAt(evening + minutes(60), blocks)).toBeNull();
    expect(await windowAt(evening + days(1), blocks)).toEqual(
      window(evening + days(1), evening + days(1) + minutes(60)),
    );
  });

  it('opens none for another input, and none once the programme has it no longer', async () => {
    expect(await windowAt(evening, [show()], { ...studio, id: 'guest' })).toBeNull();
    expect(await windowAt(evening, [block('show', { hours: daily('20:00', 60) })])).toBeNull();
    expect(await windowBy(studio, [], new Date(evening))).toBeNull();
  });

  it('opens none for an input that takes over always, as no window ends its takeovers', async () => {
    expect(await windowAt(evening, [show()], { ...studio, takes: 'always' })).toBeNull();
  });

  it('has its window only while it decides: a block of higher priority hides it', async () => {
    const news = block('news', { hours: daily('20:30', 10), priority: 60 });
    const blocks = [show(), news, music];
    expect(await windowAt(evening, blocks)).toEqual(window(evening, evening + minutes(30)));
    expect(await windowAt(evening + minutes(35), blocks)).toBeNull();
    expect(await windowAt(evening + minutes(40), blocks)).toEqual(window(evening + minutes(40), evening + minutes(60)));
    expect(await windowAt(evening, [show(), block('gala', { hours: daily('19:00', 180), priority: 51 })])).toBeNull();
  });

  it('keeps the earlier place among blocks of equal priority, as in a plan', async () => {
    const gala = block('gala', { hours: daily('20:15', 60) });
    expect(await windowAt(evening + minutes(20), [show(), gala])).toEqual(window(evening, evening + minutes(60)));
    expect(await windowAt(evening + minutes(20), [gala, show()])).toBeNull();
  });

  it('follows the clocks when they change', async () => {
    const rules = rulesOf([show({ hours: daily('01:00', 180) })], 'Europe/Berlin');
    const [spring, autumn] = [Date.UTC(2030, 2, 31), Date.UTC(2030, 9, 26, 23)];
    const at = (ms: number) => windowBy(studio, [rules], new Date(ms));
    expect(await at(spring + minutes(90))).toEqual(window(spring, spring + minutes(180)));
    expect(await at(autumn + minutes(90))).toEqual(window(autumn, autumn + minutes(180)));
    const skipped = rulesOf([show({ hours: daily('02:30', 60) })], 'Europe/Berlin');
    expect(await windowBy(studio, [skipped], new Date(spring + minutes(75)))).toBeNull();
  });

  it('that lasts for days ends then, and one without hours never', async () => {
    const week = show({
      hours: { ...daily('20:00', 7 * 1440), rule: 'FREQ=WEEKLY;INTERVAL=4;BYDAY=MO', firstDay: '2030-02-04' },
    });
    expect(await windowAt(evening + days(1), [week])).toEqual(window(evening, evening + days(7)));
    expect(await windowAt(evening, [block('always', { liveInputID: 'studio' })])).toEqual({ from: null, until: null });
  });
});

describe('the windows of blocks and of the input', () => {
  const hours = (from: string, to: string): WindowedInput => {
    const everyDay = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
    return { id: 'studio', takes: 'in_windows', windows: { timeZone: 'UTC', hours: [{ days: everyDay, from, to }] } };
  };

  it('are one where they adjoin', async () => {
    const blocks = [show(), show({ id: 'talk', hours: daily('21:00', 30) }), music];
    const whole = window(evening - minutes(60), evening + minutes(120));
    const input = hours('21:30', '22:00');
    const early = show({ id: 'early', hours: daily('19:00', 60) });
    for (const at of [-60, -1, 0, 59, 60, 89, 90, 119])
      expect(await windowAt(evening + minutes(at), [...blocks, early], input)).toEqual(whole);
  });

  it('are both open where they are apart', async () => {
    const input = hours('08:00', '09:00');
    expect(await windowAt(evening, [show()], input)).toEqual(window(evening, evening + minutes(60)));
    const morning = evening - minutes(12 * 60);
    expect(await windowAt(morning, [show()], input)).toEqual(window(morning, morning + minutes(60)));
    expect(await windowAt(morning, [show()], { ...input, takes: 'on_request' })).toBeNull();
  });

  it('are those of all programmes of the stream', async () => {
    const sound = rulesOf([show({ id: 'sound', hours: daily('20:30', 60) })]);
    const both = [rulesOf([show()]), sound];
    expect(await windowBy(studio, both, new Date(evening))).toEqual(window(evening, evening + minutes(90)));
  });
});

it('the work for a window is bounded, however many pieces it has', async () => {
  const own: WindowedInput = {
    ...studio,
    takes: 'in_windows',
    windows: { timeZone: 'Europe/Berlin', hours: [{ days: weekdays, from: '00:00', to: '00:00' }] },
  };
  const short = Array.from({ length: 49 }, (_, index) => {
    const at = `${String(Math.floor(index / 4) + 6).padStart(2, '0')}:${String((index % 4) * 15).padStart(2, '0')}`;
    return block(`part ${index}`, { hours: daily(at, 7), priority: 60, liveInputID: 'studio' });
  });
  const rules = [
    rulesOf([block('base', { hours: daily('06:00', 720), priority: 1, liveInputID: 'studio' }), ...short]),
  ];
  const now = new Date(evening);
  const windows = await blockWindowsOf(own, rules, now);
  expect(windows.length).toBeLessThan(20);
  const lookups = vi.spyOn(ZoneOffsets.prototype, 'offsetMsAt');
  onTestFinished(() => lookups.mockRestore());
  expect(takeWindowOf(own, windows, now)).toEqual({ from: null, until: null });
  expect(lookups.mock.calls.length).toBeLessThan(200);
});
