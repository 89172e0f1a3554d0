// Failed attempts are counted: more in a row mean a longer wait, and refused keys are abandoned.
import { expect, it } from 'vitest';
import { DestinationError } from '../../../lambda/publisher/destination/destination-error.ts';
import { Attempts, backoffMs } from '../../../lambda/publisher/replica/backoff.ts';
import { judge } from '../../../lambda/publisher/replica/whose-fault.ts';

const minuteMs = 60_000;

it('failures in a row are counted until a connection has held for a while, or ended as planned', () => {
  const attempts = new Attempts();
  const failuresAfter = (heldMs: number) => {
    attempts.tookMedia(0);
    return attempts.failed('usual', 0, heldMs).failures;
  };
  expect([100, 100, 5000, 9000, 100].map(failuresAfter)).toEqual([1, 2, 3, 1, 2]);
  attempts.succeeded();
  expect(failuresAfter(100)).toBe(1);
});

it('attempts that take long and come to nothing are counted as well', () => {
  const attempts = new Attempts();
  attempts.tookMedia(0);
  const failures = [9000, 10_000, 10_000].map((tookMs) => attempts.failed('usual', 0, tookMs).failures);
  expect(failures).toEqual([1, 2, 3]);
});

it('attempts over a network that does not answer are not counted', () => {
  const attempts = new Attempts();
  attempts.failed('usual', 0, 100);
  expect(attempts.failed('eager', 0, 2500).failures).toBe(1);
});

it('a key is given up when it has been refused for a quarter of an hour without a break', () => {
  const attempts = new Attempts();
  const refusedAt = (minute: number) => attempts.failed('rare', minute * minuteMs, minute * minuteMs + 100).isHopeless;
  expect([refusedAt(0), refusedAt(10)]).toEqual([false, false]);
  attempts.failed('usual', 12 * minuteMs, 12 * minuteMs);
  expect([refusedAt(16), refusedAt(30)]).toEqual([false, false]);
  attempts.succeeded();
  expect([refusedAt(32), refusedAt(46), refusedAt(48)]).toEqual([false, false, true]);
});

it('a name that does not resolve is looked up less and less often, unlike a server that does not answer', () => {
  const waitsMs = (code: 'name_not_resolved' | 'name_not_found' | 'unanswered') => {
    const { pace } = judge(new DestinationError(code));
    const attempts = new Attempts();
    return Array.from({ length: 8 }, () => backoffMs(attempts.failed(pace, 0, 100).failures, pace, () => 0.5));
  };
  const growing = [750, 1250, 2250, 4250, 8250, 15_250, 15_250, 15_250];
  expect(waitsMs('name_not_resolved')).toEqual(growing);
  expect(waitsMs('name_not_found')).toEqual(growing);
  expect(waitsMs('unanswered')).toEqual(Array.from({ length: 8 }, () => 500));
});
