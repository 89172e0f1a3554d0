// Tasks are as large as what fills them: by the costs of streams, of preparing and of an agent.
import { expect, test } from 'vitest';
import { gpuTaskMemoryMiB, preparedTaskSize } from '../../lib/publishing/task-sizes.ts';
import { stages } from '../../lib/stages.ts';

const settings = Object.values(stages)[0]!;

test.each([
  [50, 4],
  [520, 4],
  [100_000, 5],
])('a manifest agent with %i Mbit/s has a vCPU and %i GiB', (manifestAgentNetworkMbps, gibibytes) => {
  const size = preparedTaskSize({ ...settings, manifestAgentNetworkMbps });
  expect(size).toEqual({ cpu: 1024, memoryLimitMiB: 1024 * gibibytes });
});

test('a task with a GPU that encodes more has more memory, up to what a thread can send', () => {
  const memoryAt = (gpuMegapixels: number) => gpuTaskMemoryMiB({ ...settings, gpuMegapixels });
  expect(memoryAt(1000)).toBeGreaterThan(memoryAt(500) + 2048);
  expect(memoryAt(10_000)).toBe(memoryAt(100_000));
});
