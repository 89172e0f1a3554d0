// Windows in which sessions take over by themselves: their beginning and end, in their time zone.
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openWindow } from '../../../lambda/domain/live/take-windows.ts';
import type { OpenWindow, TakeWindows } from '../../../lambda/domain/live/take-windows.ts';
import type { AvailableHours } from '../../../lambda/domain/media/availability.ts';
import { ZoneOffsets } from '../../../lambda/domain/programme/breaks.ts';
import { dayMinutes, minutesOf, weekdays } from '../../../lambda/domain/shared/wall-clock.ts';

const berlin = (hours: Parameters<typeof openWindow>[0]['hours']) => ({ timeZone: 'Europe/Berlin', hours });
const at = (time: string) => new Date(time);

describe('a window', () => {
  const evenings = berlin([{ days: ['FR', 'SA'], from: '20:00', to: '02:00' }]);

  it('is open from its first to its last minute, over midnight', () => {
    const window = { from: at('2030-02-01T19:00:00Z'), until: at('2030-02-02T01:00:00Z') };
    expect(openWindow(evenings, at('2030-02-01T18:59:59.999Z'))).toBeNull();
    expect(openWindow(evenings, at('2030-02-01T19:00:00Z'))).toEqual(window);
    expect(openWindow(evenings, at('2030-02-02T00:59:59.999Z'))).toEqual(window);
    expect(openWindow(evenings, at('2030-02-02T01:00:00Z'))).toBeNull();
    expect(openWindow(evenings, at('2030-02-03T19:30:00Z'))).toBeNull();
  });

  it('is one with hours that adjoin', () => {
    const hours = [
      { days: ['SU'] as const, from: '20:00', to: '00:00' },
      { days: ['MO'] as const, from: '00:00', to: '06:30' },
    ];
    expect(openWindow(berlin(hours), at('2030-02-03T22:00:00Z'))).toEqual({
      from: at('2030-02-03T19:00:00Z'),
      until: at('2030-02-04T05:30:00Z'),
    });
  });

  it('follows the clocks when they change', () => {
    const nights = berlin([{ days: weekdays, from: '01:00', to: '04:00' }]);
    expect(openWindow(nights, at('2030-03-31T00:30:00Z'))).toEqual({
      from: at('2030-03-31T00:00:00Z'),
      until: at('2030-03-31T02:00:00Z'),
    });
  });

  it('that is always open has no end', () => {
    const always = berlin([{ days: weekdays, from: '00:00', to: '00:00' }]);
    expect(openWindow(always, at('2030-02-01T12:00:00Z'))).toEqual({ from: null, until: null });
  });
});

const minuteMs = 60_000;
const weekMinutes = 7 * dayMinutes;

/** The window at a time, found by a look at each minute of two weeks. */
function walkedWindow(hours: TakeWindows['hours'], zone: ZoneOffsets, now: Date): OpenWindow | null {
  const minutes = new Uint8Array(weekMinutes);
  for (const { days, from, to } of hours)
    for (const day of days) {
      const first = weekdays.indexOf(day) * dayMinutes + minutesOf(from);
      const count = minutesOf(to) - minutesOf(from);
      for (let at = 0; at < (count > 0 ? count : count + dayMinutes); at++) minutes[(first + at) % weekMinutes] = 1;
    }
  // Unix time began on a Thursday.
  const isIn = (ms: number) => minutes[((ms + zone.offsetMsAt(ms)) / minuteMs + 3 * dayMinutes) % weekMinutes] === 1;
  const minute = Math.floor(now.getTime() / minuteMs) * minuteMs;
  if (!isIn(minute)) return null;
  const away = Array.from({ length: weekMinutes }, (_, index) => (index + 1) * minuteMs);
  const before = away.find((ms) => !isIn(minute - ms));
  const after = away.find((ms) => !isIn(minute + ms));
  return {
    from: before === undefined ? null : new Date(minute - before + minuteMs),
    until: after === undefined ? null : new Date(minute + after),
  };
}

const zones = new Map(
  ['Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'UTC'].map((name) => [name, new ZoneOffsets(name)]),
);
const timeOfDay = fc.oneof(
  fc.constantFrom('00:00', '01:30', '02:00', '02:30', '03:00', '12:00', '23:30'),
  fc.nat(dayMinutes - 1).map((minute) => new Date(minute * minuteMs).toISOString().slice(11, 16)),
);
const someHours: fc.Arbitrary<AvailableHours> = fc.record({
  days: fc.oneof(fc.constant(weekdays), fc.subarray([...weekdays], { minLength: 1 })),
  from: timeOfDay,
  to: timeOfDay,
});
/** Times near the changes of the clocks in Berlin and on Lord Howe Island, and any others. */
const nearChanges = fc
  .tuple(
    fc.constantFrom('2030-03-31T01:00Z', '2030-10-27T01:00Z', '2030-04-06T15:00Z', '2030-10-05T15:30Z'),
    fc.oneof(fc.integer({ min: -10_800, max: 10_800 }), fc.integer({ min: -691_200, max: 691_200 })),
  )
  .map(([change, seconds]) => new Date(Date.parse(change) + seconds * 1000));
const anyTime = fc.date({ min: at('2020-01-01T00:00Z'), max: at('2040-01-01T00:00Z'), noInvalidDate: true });

it('a window has the edges that a look at each minute finds, in any zone and at any time', () => {
  fc.assert(
    fc.property(
      fc.array(someHours, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(...zones),
      fc.oneof({ weight: 3, arbitrary: nearChanges }, anyTime),
      (hours, [timeZone, zone], now) => {
        expect(openWindow({ timeZone, hours }, now)).toEqual(walkedWindow(hours, zone, now));
      },
    ),
    { numRuns: 600 },
  );
});

it('the work for a window grows with its days and hours, not with their minutes', () => {
  const lookups = vi.spyOn(ZoneOffsets.prototype, 'offsetMsAt');
  onTestFinished(() => lookups.mockRestore());
  const countedOf = (hours: TakeWindows['hours'], now: Date) => {
    lookups.mockClear();
    openWindow(berlin(hours), now);
    return lookups.mock.calls.length;
  };
  // Adjoining hours that never end make the most work, here in a week in which the clocks change.
  const parts = Array.from({ length: 14 }, (_, index) => Math.floor((index * dayMinutes) / 14) * minuteMs);
  const times = parts.map((ms) => new Date(ms).toISOString().slice(11, 16));
  const hours = times.map((from, index) => ({ days: weekdays, from, to: times[(index + 1) % 14]! }));
  const [days, lookupsPerHours, lookupsPerChange] = [16, 5, 12];
  expect(countedOf(hours, at('2030-03-31T12:00:00Z'))).toBeLessThan(days * hours.length * lookupsPerHours);
  const always = [{ days: weekdays, from: '00:00', to: '00:00' }];
  expect(countedOf(always, at('2030-03-31T12:00:00Z'))).toBeLessThan(days * lookupsPerHours + lookupsPerChange);
});
