// Quota days of platforms: those of Los Angeles, also when clocks change there.
import { describe, expect, it } from 'vitest';
import { exhaustedUntil, nextQuotaDay, quotaDay } from '../../../lambda/domain/channels/platform-quota.ts';

describe('a day of the quota', () => {
  it.each([
    ['2026-11-22T18:00:00Z', '2026-11-22', '2026-11-23T08:00:00Z'],
    ['2026-11-22T07:59:59Z', '2026-11-21', '2026-11-22T08:00:00Z'],
    ['2026-07-01T07:00:00Z', '2026-07-01', '2026-07-02T07:00:00Z'],
    // Days of 25 and 23 hours.
    ['2026-11-01T08:30:00Z', '2026-11-01', '2026-11-02T08:00:00Z'],
    ['2026-03-08T09:00:00Z', '2026-03-08', '2026-03-09T07:00:00Z'],
  ])('of %s is %s and ends at %s', (now, day, end) => {
    expect(quotaDay(new Date(now))).toBe(day);
    expect(nextQuotaDay(new Date(now))).toEqual(new Date(end));
  });

  it('is waited for, and up to half an hour more', () => {
    const now = new Date('2026-11-22T18:00:00Z');
    expect(exhaustedUntil(now, () => 0)).toEqual(new Date('2026-11-23T08:00:00Z'));
    expect(exhaustedUntil(now, () => 0.5)).toEqual(new Date('2026-11-23T08:15:00Z'));
  });
});
