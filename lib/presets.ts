// The presets of settings: for development, for trials, and for users. A stage chooses the rest.
// Decision D190.
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { StageSettings } from './stage-settings.ts';
import { usualDatabase } from './database-settings.ts';
import { nothingTaken } from './taken-settings.ts';

/** A preset of settings: for all but the place of a stage. */
export type StagePreset = Omit<StageSettings, 'region' | 'availabilityZones'>;

/** The values of every preset. */
const common = {
  account: null,
  addedAvailabilityZone: null,
  bootstrapQualifier: null,
  owner: 'platform-engineering',
  costCenter: 'loop-streaming',
  ...nothingTaken,
  ...usualDatabase,
  recoveryRegion: null,
  domain: null,
  rateLimitFactor: 1,
  limitFactor: 1,
  freeStoredGiB: 50,
  gpuInstanceType: 'g4dn.xlarge',
  gpuMegapixels: 500,
  manifestAgentNetworkMbps: 520,
  youtubeDailyUnits: 10_000,
  mailFrom: null,
  alarmEmail: null,
  defaultStreamBackend: 'ffmpeg',
  legacyRtmpURL: null,
  liveIngest: null,
  otlpEndpoint: null,
  ecsExec: false,
} as const satisfies Partial<StagePreset>;

/** For the developers of a platform: without the features that cost money while no stream runs. */
const dev: StagePreset = {
  ...common,
  natGateways: 1,
  nat: 'instance',
  databaseProxy: false,
  containerInsights: false,
  tracing: false,
  databaseInstanceClass: 't4g.micro',
  databaseStorageGiB: 20,
  databaseMaxStorageGiB: 50,
  databaseMultiAz: false,
  databaseBackupDays: 1,
  keepData: false,
  logRetentionDays: RetentionDays.TWO_WEEKS,
  webRequestsPerFiveMinutes: 2000,
  apiRequestsPerSecond: 100,
  apiBurstRequests: 200,
  gpuMachinesMin: 0,
  gpuMachinesMax: 4,
  ffmpegAgentsMin: 0,
  ffmpegAgentsMax: 2,
  manifestAgentsMin: 1,
  manifestAgentsMax: 2,
  mediaWorkersMax: 1,
  importWorkersMin: 0,
  importWorkersMax: 1,
  monthlyBudgetUsd: 300,
  streamBackendEdit: true,
  syntheticStream: false,
};

/** For users: zones and the database have a spare, data is kept, and GPU machines always run. */
const prod: StagePreset = {
  ...common,
  natGateways: 3,
  nat: 'gateway',
  databaseProxy: true,
  containerInsights: true,
  tracing: true,
  databaseInstanceClass: 'm8g.large',
  databaseStorageGiB: 100,
  databaseMaxStorageGiB: 1000,
  databaseMultiAz: true,
  databaseBackupDays: 35,
  keepData: true,
  logRetentionDays: RetentionDays.ONE_YEAR,
  webRequestsPerFiveMinutes: 5000,
  apiRequestsPerSecond: 2000,
  apiBurstRequests: 4000,
  gpuMachinesMin: 3,
  gpuMachinesMax: 60,
  ffmpegAgentsMin: 3,
  ffmpegAgentsMax: 40,
  manifestAgentsMin: 3,
  manifestAgentsMax: 40,
  mediaWorkersMax: 10,
  importWorkersMin: 1,
  importWorkersMax: 10,
  monthlyBudgetUsd: 15_000,
  streamBackendEdit: false,
  syntheticStream: true,
};

/**
 * Equal to prod in everything that can fail in its own way, and smaller. GPU machines start when a stream needs one.
 */
const staging: StagePreset = {
  ...prod,
  natGateways: 1,
  databaseInstanceClass: 't4g.medium',
  databaseStorageGiB: 20,
  databaseMaxStorageGiB: 100,
  databaseBackupDays: 7,
  logRetentionDays: RetentionDays.ONE_MONTH,
  webRequestsPerFiveMinutes: 2000,
  apiRequestsPerSecond: 500,
  apiBurstRequests: 1000,
  gpuMachinesMin: 0,
  gpuMachinesMax: 8,
  ffmpegAgentsMin: 0,
  ffmpegAgentsMax: 4,
  manifestAgentsMin: 2,
  manifestAgentsMax: 4,
  mediaWorkersMax: 2,
  importWorkersMax: 2,
  monthlyBudgetUsd: 1000,
};

/** Values for all settings but the place, for stages of three sizes. */
export const presets = { dev, staging, prod };

/** The settings that a stage chooses itself. A preset has the others. */
export interface StageChoices extends Partial<StagePreset>, Pick<StageSettings, 'region' | 'availabilityZones'> {
  /**
   * The values of all settings that are left out.
   * @default presets.staging: data is kept, the database has a standby, and no machine runs for streams that do not
   */
  readonly preset?: StagePreset;
}

/** All settings of a stage. */
export function completeSettings({ preset = presets.staging, ...choices }: StageChoices): StageSettings {
  const { region, availabilityZones } = choices;
  return withDefaults<StageSettings>(choices, { ...preset, region, availabilityZones });
}

/** Undefined fields have their default, as in all constructs of the CDK. */
export function withDefaults<Fields extends object>(given: Partial<Fields>, defaults: Fields): Fields {
  const defined = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(defined) };
}
