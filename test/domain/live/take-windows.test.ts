// Windows in which sessions take over by themselves: their beginning and end, in their time zone.
import { describe, expect, it } from 'vitest';
import { openWindow } from '../../../lambda/domain/live/take-windows.ts';
import { weekdays } from '../../../lambda/domain/shared/wall-clock.ts';

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
