// The times at which programmes may begin an upload: by dates, days and hours in a time zone.
import { describe, expect, test } from 'vitest';
import { OpenTimes } from '../../../lambda/domain/media/availability.ts';
import type { Availability } from '../../../lambda/domain/media/availability.ts';

const always: Availability = { from: null, until: null, hours: [] };
const hourMs = 3_600_000;
/** 2026-06-01 is a Monday. */
const monday = (time: string) => Date.parse(`2026-06-01T${time}Z`);
const isAvailable = (availability: Partial<Availability>, ms: number, offsetMs = 0) =>
  new OpenTimes({ ...always, ...availability }).isOpen(ms, offsetMs);

describe('an upload', () => {
  test('is available from the first time on, and no longer at the last one', () => {
    const dates = { from: '2026-06-01T10:00:00.000Z', until: '2026-06-01T12:00:00.000Z' };
    const times = ['09:59:59', '10:00:00', '11:59:59', '12:00:00'];
    expect(times.map((time) => isAvailable(dates, monday(time)))).toEqual([false, true, true, false]);
  });

  test('is available in the hours of its days, by the clock of the time zone', () => {
    const hours = [{ days: ['MO' as const], from: '06:00', to: '07:30' }];
    const times = ['05:59:59', '06:00:00', '07:29:59', '07:30:00'];
    expect(times.map((time) => isAvailable({ hours }, monday(time)))).toEqual([false, true, true, false]);
    expect(isAvailable({ hours }, monday('04:00:00'), 2 * hourMs)).toBe(true);
    expect(isAvailable({ hours }, monday('06:00:00') + 24 * hourMs)).toBe(false);
  });

  test('is available over midnight, on the day after as well', () => {
    const hours = [{ days: ['MO' as const], from: '22:00', to: '02:00' }];
    const after = [21, 22, 25, 26, 46].map((later) => isAvailable({ hours }, monday('00:00:00') + later * hourMs));
    expect(after).toEqual([false, true, true, false, false]);
    expect(isAvailable({ hours }, monday('01:00:00'))).toBe(false);
  });

  test('is available all day if its hours end when they begin', () => {
    const hours = [{ days: ['MO' as const], from: '06:00', to: '06:00' }];
    const after = [5, 6, 23, 29, 30].map((later) => isAvailable({ hours }, monday('00:00:00') + later * hourMs));
    expect(after).toEqual([false, true, true, true, false]);
  });
});
