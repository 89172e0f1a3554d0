// The counter knows the number of acknowledged bytes, whether the server counts them correctly or not.
import { expect, test } from 'vitest';
import { AcknowledgementCounter } from '../../../lambda/publisher/rtmp/acknowledgement-counter.ts';

const kib256 = 256 * 1024;

test('the counter knows nothing before the first acknowledgement', () => {
  expect(new AcknowledgementCounter().bytesAcknowledged).toBeNull();
});

test('the counter follows totals over the wrap at 4 GiB', () => {
  const counter = new AcknowledgementCounter();
  const step = 900 * 1024 * 1024;
  for (let total = step; total <= 10 * step; total += step) {
    counter.acknowledge(total % 2 ** 32, total + 5000);
    expect(counter.bytesAcknowledged).toBe(total);
  }
});

test('the counter adds up fixed increments', () => {
  const counter = new AcknowledgementCounter();
  for (let round = 1; round <= 100; round++) counter.acknowledge(kib256, round * kib256 + 9000);
  expect(counter.bytesAcknowledged).toBe(100 * kib256);
});

test('the counter adds up increments that vary', () => {
  const counter = new AcknowledgementCounter();
  let total = 0;
  for (const increment of [kib256, kib256 + 700, kib256 + 20, kib256 + 900]) {
    total += increment;
    counter.acknowledge(increment, total + 9000);
  }
  expect(counter.bytesAcknowledged).toBe(total);
});

test('a repeated total is not taken for an increment', () => {
  const counter = new AcknowledgementCounter();
  for (const total of [kib256, 2 * kib256, 2 * kib256, 3 * kib256]) counter.acknowledge(total, total + 9000);
  expect(counter.bytesAcknowledged).toBe(3 * kib256);
});

test('the count is never more than was sent, and never falls', () => {
  const counter = new AcknowledgementCounter();
  counter.acknowledge(5000, 4000);
  expect(counter.bytesAcknowledged).toBe(4000);
  counter.acknowledge(10, 6000);
  expect(counter.bytesAcknowledged).toBeGreaterThanOrEqual(4000);
});
