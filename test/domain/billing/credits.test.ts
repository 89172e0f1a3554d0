// Prices and the end of credits: the table, edge cases of the clock, and ten thousand users for forty days.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  actionDue,
  exhaustionOf,
  graceCredits,
  graceMs,
  isEligibleForFreeCredits,
  outlookOf,
  priceOf,
  priceTables,
} from '../../../lambda/domain/billing/credits.ts';
import type { Consumption, Warning } from '../../../lambda/domain/billing/credits.ts';
import { qualities } from '../../../lambda/domain/shared/video-format.ts';
import type { Framerate } from '../../../lambda/domain/shared/video-format.ts';
import { seeded } from '../../support/seeded.ts';

const now = new Date('2026-06-01T12:00:00Z');
const hourMs = 3_600_000;
const later = (ms: number) => new Date(now.getTime() + ms);
const consumption = (more: Partial<Consumption>): Consumption => ({
  creditsLeft: 100,
  creditsPerHour: 25,
  exhaustedAt: null,
  warned: null,
  anyRunning: true,
  isFunded: true,
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

  it('come from the newest table that is in effect when an interval begins', () => {
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
  it('is when what is left has been used up at the present rate', () => {
    expect(exhaustionOf(consumption({}), now)).toEqual(later(4 * hourMs));
    expect(exhaustionOf(consumption({ creditsPerHour: 0 }), now)).toBeNull();
    expect(exhaustionOf(consumption({ creditsLeft: 0.0001 }), now)).toEqual(later(15));
    expect(exhaustionOf(consumption({ creditsLeft: 1e10, creditsPerHour: 0.0001 }), now)).toBeNull();
  });

  it('stays where it was once it has passed, and is now when credits were taken away', () => {
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
  ])('%s hours ahead, with %s as the last warning, asks for %j', ([hoursLeft, warned, action]) => {
    const exhaustedAt = later(hoursLeft * hourMs);
    const stopsAt = new Date(exhaustedAt.getTime() + graceMs);
    expect(actionDue({ exhaustedAt, stopsAt, warned }, now)).toEqual(action);
  });

  it('is warned of again once a top-up has moved it away', () => {
    expect(outlookOf(consumption({ creditsLeft: 25 * 30, warned: 'exhausted' }), now)).toEqual({
      exhaustedAt: later(30 * hourMs),
      stopsAt: later(30 * hourMs + graceMs),
      warned: null,
      dueAt: later(6 * hourMs),
    });
    expect(outlookOf(consumption({ creditsLeft: 50, warned: 'exhausted' }), now)).toEqual({
      exhaustedAt: later(2 * hourMs),
      stopsAt: later(2 * hourMs + graceMs),
      warned: 'day',
      dueAt: later(hourMs),
    });
    expect(outlookOf(consumption({ creditsPerHour: 0, warned: 'hour' }), now)).toEqual({
      exhaustedAt: null,
      stopsAt: null,
      warned: null,
      dueAt: null,
    });
  });

  it('leaves five minutes to an ordinary channel, and less to what costs more than the grace', () => {
    const graceOf = (more: Partial<Consumption>) => {
      const { exhaustedAt, stopsAt } = outlookOf(consumption(more), now);
      return stopsAt!.getTime() - exhaustedAt!.getTime();
    };
    expect(
      graceOf({
        creditsPerHour: 2 * priceOf({ role: 'primary', quality: 'q_2160p', framerate: 'f_60' }, now).creditsPerHour,
      }),
    ).toBe(graceMs);
    expect(graceOf({ creditsPerHour: 25, isFunded: false })).toBe(graceMs);
    expect(graceOf({ creditsPerHour: 12_000 })).toBeCloseTo(15_000, -1);
    expect(graceOf({ creditsPerHour: 12_000, isFunded: false })).toBeCloseTo(1500, -1);
    // After a reversed payment that was spent already.
    expect(graceOf({ creditsLeft: -1000, creditsPerHour: 25 })).toBe(0);
  });

  it('comes after the credits and those of the grace, whatever starts and stops meanwhile', () => {
    const step = fc.record({ rate: fc.integer({ min: 0, max: 12_000 }), ms: fc.nat(60_000) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), fc.boolean(), (steps, isFunded) => {
        let state: Pick<Consumption, 'exhaustedAt'> = { exhaustedAt: null };
        let [used, at] = [0, now];
        for (const { rate, ms } of steps) {
          const facts = {
            creditsLeft: 100 - used,
            creditsPerHour: rate,
            isFunded,
            warned: 'exhausted',
            ...state,
          } as const;
          const outlook = outlookOf(consumption(facts), at);
          state = outlook;
          if (outlook.stopsAt !== null && outlook.stopsAt <= at) break;
          const until = Math.min(at.getTime() + ms, outlook.stopsAt?.getTime() ?? Infinity);
          used += (rate * (until - at.getTime())) / hourMs;
          at = new Date(until);
        }
        expect(used).toBeLessThanOrEqual(100 + graceCredits[isFunded ? 'funded' : 'unfunded'] + 0.01);
      }),
    );
  });

  it('is waited for by nobody where nothing runs', () => {
    expect(outlookOf(consumption({ creditsLeft: -3, creditsPerHour: 0, anyRunning: false }), now).dueAt).toBeNull();
  });

  it('brings each warning at most once and then the stop, however late somebody looks', () => {
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

  it('is known within two seconds for 10,000 users over 40 days, from looks at their changes alone', () => {
    const random = seeded(7);
    let worstMs = 0;
    for (let user = 0; user < 10_000; user++) {
      const credits = Math.round(random() * 40_000 * 1e4) / 1e4;
      const { looks, changes, predicted, exactMs } = followChanges(credits, changesOfTenStreams(random));
      expect(looks).toBeLessThanOrEqual(changes);
      if (exactMs === null) expect(predicted).toBeNull();
      else worstMs = Math.max(worstMs, Math.abs(predicted!.getTime() - later(exactMs).getTime()));
    }
    expect(worstMs).toBeLessThan(2000);
  });
});

interface RateChange {
  /** Milliseconds after `now`. */
  readonly atMs: number;
  /** Change of the used credits per hour from then on; negative: fewer. */
  readonly rate: number;
}

/** The starts and stops of ten streams within 40 days, in order. */
function changesOfTenStreams(random: () => number): RateChange[] {
  const streams = Array.from({ length: 10 }, () => {
    const startMs = Math.floor(random() * 20 * 24) * hourMs + Math.floor(random() * hourMs);
    const rate = [25, 39, 69, 139, 199][Math.floor(random() * 5)]!;
    const stopMs = startMs + Math.floor(random() * 20 * 24 * hourMs);
    return [
      { atMs: startMs, rate },
      { atMs: stopMs, rate: -rate },
    ];
  });
  return streams.flat().sort((a, b) => a.atMs - b.atMs);
}

/** Computes the outlook at each change until the credits are used up, and independently the exact end. */
function followChanges(credits: number, ofStreams: readonly RateChange[]) {
  const used = { untilMs: 0, rate: 0, credits: 0 };
  let predicted: Date | null = null;
  let changes = 0;
  let looks = 0;
  for (const { atMs, rate } of ofStreams) {
    changes++;
    const usedByThen = used.credits + (used.rate * (atMs - used.untilMs)) / hourMs;
    if (usedByThen >= credits) {
      const exactMs = used.untilMs + ((credits - used.credits) / used.rate) * hourMs;
      return { looks, changes, predicted, exactMs };
    }
    Object.assign(used, { untilMs: atMs, rate: used.rate + rate, credits: usedByThen });
    looks++;
    const state = consumption({
      creditsLeft: Math.round((credits - usedByThen) * 1e4) / 1e4,
      creditsPerHour: used.rate,
      exhaustedAt: predicted,
    });
    predicted = outlookOf(state, later(atMs)).exhaustedAt;
  }
  return { looks, changes, predicted, exactMs: null };
}

describe('free credits', () => {
  it('are for users with a verified address who had none', () => {
    const cases = [true, false].flatMap((emailVerified) =>
      [true, false].map((hadGrant) => isEligibleForFreeCredits({ emailVerified, hadGrant })),
    );
    expect(cases).toEqual([false, true, false, false]);
  });
});
