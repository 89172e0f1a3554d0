// Tasks are as large as what fills them: by the costs of an agent, of preparing and of streams.
import { expect, it } from 'vitest';
import { preparedTaskSize } from '../../lib/publishing/task-sizes.ts';
import { stages } from '../../lib/stages.ts';

const settings = Object.values(stages)[0]!;

it.each([
  [50, 7],
  [520, 7],
  [1500, 8],
  // The thread is full before the network: Fargate has no more for a vCPU.
  [100_000, 8],
])('an agent with %i Mbit/s for prepared streams has a vCPU and %i GiB', (manifestAgentNetworkMbps, gibibytes) => {
  const size = preparedTaskSize({ ...settings, manifestAgentNetworkMbps });
  expect(size).toEqual({ cpu: 1024, memoryLimitMiB: 1024 * gibibytes });
});
