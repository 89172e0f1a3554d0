// The stage dev with everything that it omits to be cheap, for tests that need every type of resource.
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';

export const completeDev: StageSettings = {
  ...stages.dev,
  nat: 'gateway',
  databaseProxy: true,
  // Behind the proxy, functions of queues have more calls at once than the class of dev has connections for.
  databaseInstanceClass: 't4g.small',
  containerInsights: true,
  tracing: true,
  gpuMachinesMin: 1,
  ffmpegAgentsMin: 1,
  syntheticStream: true,
};
