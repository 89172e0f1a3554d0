// The table of stages: it has all differences between them, and is the only file that knows their names.
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { checkStage, type StageSettings } from './stage-settings.ts';
import { nothingTaken } from './taken-settings.ts';

// For the developers of the platform: without the features that cost money while no stream runs.
const dev: StageSettings = {
  account: null,
  bootstrapQualifier: null,
  owner: 'platform-engineering',
  costCenter: 'loop-streaming',
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b'],
  ...nothingTaken,
  natGateways: 1,
  nat: 'instance',
  databaseProxy: false,
  containerInsights: false,
  tracing: false,
  databaseInstanceClass: 't4g.micro',
  databaseStorageGiB: 20,
  databaseMaxStorageGiB: 50,
  databaseConnectionsAlarm: 90,
  databaseMultiAz: false,
  databaseBackupDays: 1,
  recoveryRegion: null,
  keepData: false,
  logRetentionDays: RetentionDays.TWO_WEEKS,
  domain: null,
  webRequestsPerFiveMinutes: 2000,
  apiRequestsPerSecond: 100,
  apiBurstRequests: 200,
  rateLimitFactor: 1,
  limitFactor: 1,
  freeStoredGiB: 50,
  gpuInstanceType: 'g4dn.xlarge',
  gpuMachinesMin: 0,
  gpuMachinesMax: 4,
  gpuMegapixels: 500,
  ffmpegAgentsMin: 0,
  ffmpegAgentsMax: 2,
  manifestAgentNetworkMbps: 520,
  manifestAgentsMin: 1,
  manifestAgentsMax: 2,
  mediaWorkersMax: 1,
  importWorkersMin: 0,
  importWorkersMax: 1,
  youtubeDailyUnits: 10_000,
  mailFrom: null,
  alarmEmail: null,
  monthlyBudgetUsd: 300,
  defaultStreamBackend: 'ffmpeg',
  streamBackendEdit: true,
  legacyRtmpURL: null,
  otlpEndpoint: null,
  syntheticStream: false,
  ecsExec: false,
};

// Equal to prod in everything that can fail in its own way (zones, standby, protection), and smaller. GPU machines
// start when a stream needs one.
const staging: StageSettings = {
  account: null,
  bootstrapQualifier: 'lssstaging',
  owner: 'platform-engineering',
  costCenter: 'loop-streaming',
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b', 'us-east-1d'],
  ...nothingTaken,
  natGateways: 1,
  nat: 'gateway',
  databaseProxy: true,
  containerInsights: true,
  tracing: true,
  databaseInstanceClass: 't4g.medium',
  databaseStorageGiB: 20,
  databaseMaxStorageGiB: 100,
  databaseConnectionsAlarm: 360,
  databaseMultiAz: true,
  databaseBackupDays: 7,
  recoveryRegion: null,
  keepData: true,
  logRetentionDays: RetentionDays.ONE_MONTH,
  domain: null,
  webRequestsPerFiveMinutes: 2000,
  apiRequestsPerSecond: 500,
  apiBurstRequests: 1000,
  rateLimitFactor: 1,
  limitFactor: 1,
  freeStoredGiB: 50,
  gpuInstanceType: 'g4dn.xlarge',
  gpuMachinesMin: 0,
  gpuMachinesMax: 8,
  gpuMegapixels: 500,
  ffmpegAgentsMin: 0,
  ffmpegAgentsMax: 4,
  manifestAgentNetworkMbps: 520,
  manifestAgentsMin: 2,
  manifestAgentsMax: 4,
  mediaWorkersMax: 2,
  importWorkersMin: 1,
  importWorkersMax: 2,
  youtubeDailyUnits: 10_000,
  mailFrom: null,
  alarmEmail: null,
  monthlyBudgetUsd: 1000,
  defaultStreamBackend: 'ffmpeg',
  streamBackendEdit: false,
  legacyRtmpURL: null,
  otlpEndpoint: null,
  syntheticStream: true,
  ecsExec: false,
};

const prod: StageSettings = {
  account: null,
  bootstrapQualifier: 'lssprod',
  owner: 'platform-engineering',
  costCenter: 'loop-streaming',
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b', 'us-east-1d'],
  ...nothingTaken,
  natGateways: 3,
  nat: 'gateway',
  databaseProxy: true,
  containerInsights: true,
  tracing: true,
  databaseInstanceClass: 'm8g.large',
  databaseStorageGiB: 100,
  databaseMaxStorageGiB: 1000,
  databaseConnectionsAlarm: 720,
  databaseMultiAz: true,
  databaseBackupDays: 35,
  recoveryRegion: null,
  keepData: true,
  logRetentionDays: RetentionDays.ONE_YEAR,
  domain: null,
  webRequestsPerFiveMinutes: 5000,
  apiRequestsPerSecond: 2000,
  apiBurstRequests: 4000,
  rateLimitFactor: 1,
  limitFactor: 1,
  freeStoredGiB: 50,
  gpuInstanceType: 'g4dn.xlarge',
  gpuMachinesMin: 3,
  gpuMachinesMax: 60,
  gpuMegapixels: 500,
  ffmpegAgentsMin: 3,
  ffmpegAgentsMax: 40,
  manifestAgentNetworkMbps: 520,
  manifestAgentsMin: 3,
  manifestAgentsMax: 40,
  mediaWorkersMax: 10,
  importWorkersMin: 1,
  importWorkersMax: 10,
  youtubeDailyUnits: 10_000,
  mailFrom: null,
  alarmEmail: null,
  monthlyBudgetUsd: 15_000,
  defaultStreamBackend: 'ffmpeg',
  streamBackendEdit: false,
  legacyRtmpURL: null,
  otlpEndpoint: null,
  syntheticStream: true,
  ecsExec: false,
};

/** The stages that all engineers share, in the order in which a release is deployed to them. */
export const stages = { dev, staging, prod };

/**
 * The stages that an app has to build, by name, with every setting checked.
 * @param ownStage the value of `-c stage=NAME`, an engineer's own stage: then only that stage is built, with the
 *   settings of dev. Undefined: the stages of the table
 * @throws if the name is malformed or is in the table, or if a setting is missing or invalid; the message names it
 */
export function stagesToBuild(ownStage: unknown): Readonly<Record<string, StageSettings>> {
  const chosen: Readonly<Record<string, StageSettings>> =
    ownStage === undefined ? stages : { [checkedName(ownStage)]: dev };
  for (const [name, settings] of Object.entries(chosen)) checkStage(name, settings);
  return chosen;
}

/**
 * The shared stages of one account, by name.
 * @param names the value of `-c stages=NAME,NAME`. Undefined: all shared stages
 * @throws if a name is not that of a shared stage; the message contains the name
 */
export function stagesOfAccount(names: unknown): Readonly<Record<string, StageSettings>> {
  if (names === undefined) return stages;
  const known: Readonly<Record<string, StageSettings>> = stages;
  return Object.fromEntries(
    (typeof names === 'string' ? names : '').split(',').map((name) => {
      const settings = Object.hasOwn(known, name) ? known[name] : undefined;
      if (!settings) throw new Error(`-c stages=NAME,NAME: there is no shared stage ${JSON.stringify(name)}`);
      return [name, settings];
    }),
  );
}

function checkedName(name: unknown): string {
  // The names of stacks and parameters begin with it. S3 and RDS derive lower-case names from them.
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,15}$/.test(name)) {
    const expected = 'up to 16 lower-case letters, digits and hyphens, a letter first';
    throw new Error(`-c stage=NAME: NAME must be ${expected}, not ${JSON.stringify(name)}`);
  }
  // The names of parameters begin with the stage's name, and AWS reserves these prefixes.
  // https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
  if (/^(aws|ssm)/.test(name)) throw new Error(`-c stage=NAME: NAME cannot begin with "aws" or "ssm", as ${name} does`);
  if (name in stages)
    throw new Error(`-c stage=${name}: that is a shared stage; leave -c out and name its stacks, '${name}/*'`);
  return name;
}
