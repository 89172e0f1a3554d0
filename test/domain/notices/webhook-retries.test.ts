// Retries of webhook deliveries: for three days, at growing intervals, and not all at the same moment.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retriedForSeconds, retryDelaySeconds } from '../../../lambda/domain/notices/webhook-retries.ts';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const attempts = fc.integer({ min: 1, max: 1000 });
const ageSeconds = fc.double({ min: 0, max: 2 * retriedForSeconds, noNaN: true });
const askedForSeconds = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 10 ** 9 }));

test('a delay is above zero, at most four hours, and ends within three days; afterwards there is none', () => {
  fc.assert(
    fc.property(attempts, ageSeconds, askedForSeconds, random, (made, age, askedFor, chance) => {
      const delay = retryDelaySeconds(made, age, askedFor, () => chance);
      if (age >= retriedForSeconds) {
        expect(delay).toBeNull();
        return;
      }
      expect(delay).toBeGreaterThan(0);
      expect(delay).toBeLessThanOrEqual(Math.min(4 * 3600, retriedForSeconds - age));
    }),
  );
});

test('a delay is at least what the receiver asks for, and never shorter after more attempts', () => {
  fc.assert(
    fc.property(attempts, fc.integer({ min: 0, max: 4 * 3600 }), random, (made, askedFor, chance) => {
      const delay = retryDelaySeconds(made, 0, askedFor, () => chance)!;
      expect(delay).toBeGreaterThanOrEqual(askedFor);
      expect(retryDelaySeconds(made + 1, 0, askedFor, () => chance)!).toBeGreaterThanOrEqual(delay);
    }),
  );
});

test('an event is tried at once, then soon, and the last time when three days are over', () => {
  fc.assert(
    fc.property(fc.infiniteStream(random), (chances) => {
      const times = [0];
      for (let age = 0; ;) {
        const delay = retryDelaySeconds(times.length, age, 0, () => chances.next().value!);
        if (delay === null) break;
        age += delay;
        times.push(age);
      }
      expect(times[1]).toBeLessThanOrEqual(5);
      expect(times[4]).toBeLessThanOrEqual(200);
      expect(times.at(-1)).toBeCloseTo(retriedForSeconds, 6);
      expect(times.length).toBeGreaterThanOrEqual(20);
      expect(times.length).toBeLessThanOrEqual(50);
    }),
  );
});
