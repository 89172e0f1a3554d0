// Sizes of tasks match their load: the costs of an agent and of streams.
import { expect, it } from 'vitest';
import { preparedTaskSize } from '../../lib/publishing/task-sizes.ts';
import { stages } from '../../lib/stages.ts';

const settings = Object.values(stages)[0]!;

it.each([
  [50, 2],
  [520, 2],
  [1500, 2],
  // The thread is full before the network.
  [100_000, 3],
])('an agent with %i Mbit/s for prepared streams has a vCPU and %i GiB', (manifestAgentNetworkMbps, gibibytes) => {
  const size = preparedTaskSize({ ...settings, manifestAgentNetworkMbps });
  expect(size).toEqual({ cpu: 1024, memoryLimitMiB: 1024 * gibibytes });
});
