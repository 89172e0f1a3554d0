// Prices, and when credits run out: the table, the clock's edges, and ten thousand users for thirty days.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  actionDue,
  exhaustionOf,
  graceMs,
  inboxOf,
  isEligibleForFreeCredits,
  outlookOf,
  priceOf,
  priceTables,
} from '../../lambda/domain/credits.ts';
import type { Consumption, Warning } from '../../lambda/domain/credits.ts';
import { qualities } from '../../lambda/domain/video-format.ts';
import type { Framerate } from '../../lambda/domain/video-format.ts';

const now = new Date('2026-06-01T12:00:00Z');
const hourMs = 3_600_000;
const later = (ms: number) => new Date(now.getTime() + ms);
const consumption = (more: Partial<Consumption>): Consumption => ({
  creditsLeft: 100,
  creditsPerHour: 25,
  exhaustedAt: null,
  warned: null,
  anyRunning: true,
  ...more,
});

describe('prices', () => {
  it('are those that were decided', () => {
    const perHour = (framerate: Framerate) =>
      qualities.map((quality) => priceOf({ role: 'primary', quality, framerate }, now).creditsPerHour);
    expect([perHour('f_24'), perHour('f_25'), perHour('f_30'), perHour('f_60')]).toEqual([
      [25, 39, 89, 169],
      [25, 39, 89, 169],
      [25, 39, 89, 169],
      [35, 69, 139, 199],
    ]);
    for (const quality of qualities) {
      const of = (role: 'primary' | 'backup') => priceOf({ role, quality, framerate: 'f_60' }, now);
      expect(of('backup')).toEqual(of('primary'));
    }
  });

  it('are of the newest table that is in effect when the interval begins', () => {
    const dearer = { ...priceTables[0]!, version: '2', effectiveFrom: '2026-06-01T12:00:00Z', backupShare: 0.5 };
    const at = (date: Date, role: 'primary' | 'backup') =>
      priceOf({ role, quality: 'q_720p', framerate: 'f_30' }, date, [...priceTables, dearer]);
    expect([at(later(-1), 'backup'), at(now, 'backup'), at(now, 'primary')]).toEqual([
      { version: '1', creditsPerHour: 25 },
      { version: '2', creditsPerHour: 12.5 },
      { version: '2', creditsPerHour: 25 },
    ]);
  });
});

describe('the end of credits', () => {
  it('is where what is left meets what is used', () => {
    expect(exhaustionOf(consumption({}), now)).toEqual(later(4 * hourMs));
    expect(exhaustionOf(consumption({ creditsPerHour: 0 }), now)).toBeNull();
    expect(exhaustionOf(consumption({ creditsLeft: 0.0001 }), now)).toEqual(later(15));
    expect(exhaustionOf(consumption({ creditsLeft: 1e10, creditsPerHour: 0.0001 }), now)).toBeNull();
  });

  it('stays where it was once it has passed, and is now where credits are taken away', () => {
    expect(exhaustionOf(consumption({ creditsLeft: -1, exhaustedAt: later(-5000) }), now)).toEqual(later(-5000));
    expect(exhaustionOf(consumption({ creditsLeft: -1, exhaustedAt: later(5000) }), now)).toEqual(now);
    expect(exhaustionOf(consumption({ creditsLeft: 0 }), now)).toEqual(now);
  });

  it.for<[hoursLeft: number, warned: Warning | null, action: ReturnType<typeof actionDue>]>([
    [25, null, null],
    [24, null, { warn: 'day' }],
    [24, 'day', null],
    [2, null, { warn: 'day' }],
    [1, 'day', { warn: 'hour' }],
    [0.5, null, { warn: 'hour' }],
    [0.5, 'hour', null],
    [0, 'hour', { warn: 'exhausted' }],
    [0, null, { warn: 'exhausted' }],
    [-1 / 60, 'exhausted', null],
    [-5 / 60, 'exhausted', { stop: true }],
    [-5 / 60, null, { stop: true }],
    [-100, 'day', { stop: true }],
  ])('%s hours ahead, warned %s: %j', ([hoursLeft, warned, action]) => {
    expect(actionDue({ exhaustedAt: later(hoursLeft * hourMs), warned }, now)).toEqual(action);
  });

  it('moved away by a top-up brings its warnings again', () => {
    expect(outlookOf(consumption({ creditsLeft: 25 * 30, warned: 'exhausted' }), now)).toEqual({
      exhaustedAt: later(30 * hourMs),
      warned: null,
      dueAt: later(6 * hourMs),
    });
    expect(outlookOf(consumption({ creditsLeft: 50, warned: 'exhausted' }), now)).toEqual({
      exhaustedAt: later(2 * hourMs),
      warned: 'day',
      dueAt: later(hourMs),
    });
    expect(outlookOf(consumption({ creditsPerHour: 0, warned: 'hour' }), now)).toEqual({
      exhaustedAt: null,
      warned: null,
      dueAt: null,
    });
  });

  it('is of no interest to anybody where nothing runs', () => {
    expect(outlookOf(consumption({ creditsLeft: -3, creditsPerHour: 0, anyRunning: false }), now).dueAt).toBeNull();
  });

  it('comes to each warning once and to the stop, however late somebody looks', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.001, max: 100_000, noNaN: true }),
        fc.integer({ min: 1, max: 400 }),
        fc.array(fc.nat(3 * hourMs), { minLength: 5, maxLength: 5 }),
        (credits, rate, delays) => {
          let state: { exhaustedAt: Date | null; warned: Warning | null } = { exhaustedAt: null, warned: null };
          const told: string[] = [];
          let at = now;
          for (const delay of delays) {
            const left = credits - (rate * (at.getTime() - now.getTime())) / hourMs;
            const outlook = outlookOf(consumption({ creditsLeft: left, creditsPerHour: rate, ...state }), at);
            state = outlook;
            const dueAt = outlook.dueAt!;
            at = new Date(Math.max(at.getTime(), dueAt.getTime()) + delay);
            const action = actionDue(outlook, at)!;
            expect(action).not.toBeNull();
            if ('stop' in action) {
              expect(at.getTime()).toBeGreaterThanOrEqual(outlook.exhaustedAt!.getTime() + graceMs);
              return;
            }
            told.push(action.warn);
            state = { ...outlook, warned: action.warn };
            expect(new Set(told).size).toBe(told.length);
          }
          expect.unreachable('the streams never stopped');
        },
      ),
    );
  });

  it('is found for 10,000 users with 100,000 streams over 30 days, by what changes alone', () => {
    const random = seeded(7);
    let changes = 0;
    let looks = 0;
    let worstMs = 0;
    for (let user = 0; user < 10_000; user++) {
      const credits = Math.round(random() * 40_000 * 1e4) / 1e4;
      // Ten streams that come and go.
      const events = Array.from({ length: 10 }, () => {
        const startMs = Math.floor(random() * 20 * 24) * hourMs + Math.floor(random() * hourMs);
        const rate = [25, 39, 69, 139, 199][Math.floor(random() * 5)]!;
        return [
          { atMs: startMs, rate },
          { atMs: startMs + Math.floor(random() * 20 * 24 * hourMs), rate: -rate },
        ];
      })
        .flat()
        .sort((a, b) => a.atMs - b.atMs);
      const run = { usedMs: 0, rate: 0, spent: 0 };
      let expected: Date | null = null;
      let exactMs: number | null = null;
      for (const { atMs, rate } of events) {
        changes++;
        const spentThen = run.spent + (run.rate * (atMs - run.usedMs)) / hourMs;
        if (spentThen >= credits) {
          exactMs = run.usedMs + ((credits - run.spent) / run.rate) * hourMs;
          break;
        }
        Object.assign(run, { usedMs: atMs, rate: run.rate + rate, spent: spentThen });
        looks++;
        expected = outlookOf(
          consumption({
            creditsLeft: Math.round((credits - spentThen) * 1e4) / 1e4,
            creditsPerHour: run.rate,
            exhaustedAt: expected,
          }),
          later(atMs),
        ).exhaustedAt;
      }
      if (exactMs === null) expect(expected).toBeNull();
      else worstMs = Math.max(worstMs, Math.abs(expected!.getTime() - later(exactMs).getTime()));
    }
    expect(looks).toBeLessThanOrEqual(changes);
    expect(worstMs).toBeLessThan(2000);
  });
});

describe('free credits', () => {
  it('are for verified addresses that had none', () => {
    const cases = [true, false].flatMap((emailVerified) =>
      [true, false].map((hadGrant) => isEligibleForFreeCredits({ emailVerified, hadGrant })),
    );
    expect(cases).toEqual([false, true, false, false]);
  });
  it.for([
    ['Ada@Example.com', 'ada@example.com'],
    ['ada+more@example.com', 'ada@example.com'],
    ['"a@b"@example.com', '"a@b"@example.com'],
    ['ada@', 'ada@'],
    ['', '@'],
  ] as const)('know the inbox of %s', ([email, inbox]) => {
    expect(inboxOf(email)).toBe(inbox);
  });
});

/** The same sequence for the same seed (a linear congruential generator, constants of Numerical Recipes). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}
