// Quiet hours by local time, also when clocks change.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { quietUntil } from '../../../lambda/domain/notices/quiet-hours.ts';

const night = { from: '22:00', to: '07:00', timeZone: 'Europe/Paris' };
const until = (now: string, hours = night) => quietUntil(new Date(now), hours)?.toISOString() ?? null;

it.each([
  ['2030-01-15T20:59:59Z', null],
  ['2030-01-15T21:00:00Z', '2030-01-16T06:00:00.000Z'],
  ['2030-01-16T02:30:30Z', '2030-01-16T06:00:00.000Z'],
  ['2030-01-16T06:00:00Z', null],
  // The night of 31 March 2030 skips an hour, and that of 27 October repeats one.
  ['2030-03-30T21:00:00Z', '2030-03-31T05:00:00.000Z'],
  ['2030-10-26T20:00:00Z', '2030-10-27T06:00:00.000Z'],
])('at %s they last until %s', (now, end) => {
  expect(until(now)).toBe(end);
});

it('end within the same day where they begin earlier than they end', () => {
  const noon = { from: '12:00', to: '13:30', timeZone: 'Asia/Kolkata' };
  expect(until('2030-01-15T07:00:00Z', noon)).toBe('2030-01-15T08:00:00.000Z');
  expect(until('2030-01-15T08:00:00Z', noon)).toBeNull();
});

it('are none where they begin and end at the same time', () => {
  expect(until('2030-01-15T22:00:00Z', { ...night, to: '22:00' })).toBeNull();
});

it('end within 25 hours, at a time that is not quiet, and not before that', () => {
  const time = fc
    .integer({ min: 0, max: 1439 })
    .map((minute) => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`);
  const timeZone = fc.constantFrom('Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC');
  const now = fc.date({ min: new Date('2030-01-01'), max: new Date('2031-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(now, fc.record({ from: time, to: time, timeZone }), (at, hours) => {
      const end = quietUntil(at, hours);
      if (end === null) return;
      expect(quietUntil(end, hours)).toBeNull();
      expect(end.getTime() - at.getTime()).toBeLessThanOrEqual(25 * 3_600_000);
      const before = new Date(Math.max(at.getTime(), end.getTime() - 60_000));
      expect(quietUntil(before, hours)).toEqual(end);
    }),
  );
});
