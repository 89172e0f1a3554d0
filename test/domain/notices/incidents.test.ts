// Start and end of incidents, for any course of conditions.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { afterSignal, afterTime, calmSeconds, flapsToConfirm } from '../../../lambda/domain/notices/incidents.ts';
import type { Condition, Course } from '../../../lambda/domain/notices/incidents.ts';

const start = Date.parse('2030-01-01T00:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1000);

interface Told {
  readonly what: 'began' | 'ended' | 'passed';
  readonly atSeconds: number;
}

/** Processes signals over time as a worker does: at each signal and at each due time. */
function run(signals: readonly (readonly [seconds: number, condition: Condition])[], confirmSeconds: number) {
  const told: Told[] = [];
  const incidents: Course[] = [];
  let course: Course | null = null;
  let dueAt: Date | null = null;
  const look = (now: Date) => {
    if (course === null) return;
    const wasConfirmed = course.confirmedAt !== null;
    const next = afterTime(course, now, confirmSeconds);
    const atSeconds = (now.getTime() - start) / 1000;
    if (next.course === null) told.push({ what: 'passed', atSeconds });
    else if (!wasConfirmed && next.course.confirmedAt) told.push({ what: 'began', atSeconds });
    if (next.course?.endedAt) {
      told.push({ what: 'ended', atSeconds });
      incidents.push(next.course);
    }
    course = next.course?.endedAt ? null : next.course;
    dueAt = next.dueAt;
  };
  const dueBy = (now: Date): Date | null => (dueAt !== null && dueAt <= now ? dueAt : null);
  const lookUntil = (now: Date) => {
    for (let due = dueBy(now); due !== null; due = dueBy(now)) look(due);
  };
  for (const [seconds, condition] of signals) {
    lookUntil(at(seconds));
    course = afterSignal(course, condition, at(seconds));
    look(at(seconds));
  }
  lookUntil(at(1e6));
  return { told, incidents, open: course };
}

it('is told once when it has been wrong for so long, and once when it has been well for a while', () => {
  expect(
    run(
      [
        [0, 'wrong'],
        [42, 'well'],
      ],
      30,
    ).told,
  ).toEqual([
    { what: 'began', atSeconds: 30 },
    { what: 'ended', atSeconds: 72 },
  ]);
});

it('is not told where it passes before that, or where its user has ended it', () => {
  expect(
    run(
      [
        [0, 'wrong'],
        [29, 'well'],
      ],
      30,
    ).told,
  ).toEqual([{ what: 'passed', atSeconds: 59 }]);
  expect(
    run(
      [
        [0, 'wrong'],
        [29, 'over'],
      ],
      30,
    ).told,
  ).toEqual([{ what: 'passed', atSeconds: 29 }]);
  expect(
    run(
      [
        [0, 'well'],
        [5, 'over'],
      ],
      30,
    ).told,
  ).toEqual([]);
});

it('is one incident where it flaps, with its count, and ends only after ever longer calm', () => {
  const flaps = Array.from({ length: 40 }, (_, index) => [10 * index, index % 2 === 0 ? 'wrong' : 'well'] as const);
  const { told, incidents } = run(flaps, 30);
  expect(told).toEqual([
    { what: 'began', atSeconds: 40 },
    { what: 'ended', atSeconds: 390 + 600 },
  ]);
  expect(incidents).toMatchObject([{ count: 20, beganAt: at(0), endedAt: at(390) }]);
});

const signalled = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.constantFrom<Condition>('wrong', 'well', 'over')), {
    maxLength: 60,
  })
  .map((steps) => {
    let seconds = 0;
    return steps.map(([after, condition]) => [(seconds += after), condition] as const);
  });

it('is told in turns, never twice, and of nothing that was not confirmed, whatever happens', () => {
  fc.assert(
    fc.property(signalled, fc.integer({ min: 0, max: 30 }), (signals, confirmSeconds) => {
      const { told, incidents, open } = run(signals, confirmSeconds);
      const messages = told.filter(({ what }) => what !== 'passed').map(({ what }) => what);
      expect(messages).toEqual(messages.map((_, index) => (index % 2 === 0 ? 'began' : 'ended')));
      expect(messages.length % 2 === 1).toBe(open !== null && open.confirmedAt !== null);
      // A fault at the end is reported, and nothing else is.
      const last = signals.at(-1)?.[1];
      expect(open?.condition ?? 'well').toBe(last === 'wrong' ? 'wrong' : 'well');
      for (const { beganAt, confirmedAt, endedAt, count } of incidents) {
        expect(endedAt!.getTime()).toBeGreaterThanOrEqual(beganAt.getTime());
        if (count < flapsToConfirm)
          expect(confirmedAt!.getTime() - beganAt.getTime()).toBeGreaterThanOrEqual(confirmSeconds * 1000);
      }
    }),
  );
});

it('is never a storm: however it flaps, there are fewer messages than calm times fit in', () => {
  fc.assert(
    fc.property(signalled, (signals) => {
      const { told } = run(signals, 0);
      const seconds = (signals.at(-1)?.[0] ?? 0) + calmSeconds(100);
      const over = signals.filter(([, condition]) => condition === 'over').length;
      expect(told.length).toBeLessThanOrEqual(2 * (seconds / calmSeconds(1) + over) + 2);
    }),
  );
});
