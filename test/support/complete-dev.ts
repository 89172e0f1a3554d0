// The stage dev with all that it does without to be cheap: for tests that want every type of resource.
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
