// The stage dev with everything that it omits to be cheap, for tests that need every type of resource.
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';

export const completeDev: StageSettings = {
  ...stages.dev,
  nat: 'gateway',
  databaseProxy: true,
  containerInsights: true,
  tracing: true,
  gpuMachinesMin: 1,
  ffmpegAgentsMin: 1,
  syntheticStream: true,
};
