// The table of stages: everything that differs between them, and the only file that knows their names.
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { checkStage, type StageSettings } from './stage-settings.ts';

const dev: StageSettings = {
  account: null,
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b'],
  natGateways: 1,
  databaseInstanceClass: 't4g.medium',
  databaseStorageGiB: 20,
  databaseMaxStorageGiB: 50,
  databaseConnectionsAlarm: 360,
  databaseMultiAz: false,
  databaseBackupDays: 1,
  keepData: false,
  logRetentionDays: RetentionDays.TWO_WEEKS,
  domain: null,
  webRequestsPerFiveMinutes: 2000,
  apiRequestsPerSecond: 100,
  apiBurstRequests: 200,
  rateLimitFactor: 1,
  gpuInstanceType: 'g4dn.xlarge',
  gpuMachinesMin: 1,
  gpuMachinesMax: 3,
  ffmpegAgentSlots: 16,
  ffmpegAgentsMin: 1,
  ffmpegAgentsMax: 2,
  manifestAgentSlots: 50,
  manifestAgentsMin: 1,
  manifestAgentsMax: 2,
  mediaWorkersMax: 1,
  importWorkersMin: 0,
  importWorkersMax: 1,
  mailFrom: null,
  alarmEmail: null,
  monthlyBudgetUsd: 1000,
  legacyRtmpUrl: null,
};

// As prod in everything that can break by its kind (zones, standby, protection); smaller in size.
const staging: StageSettings = {
  account: null,
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b', 'us-east-1d'],
  natGateways: 1,
  databaseInstanceClass: 't4g.medium',
  databaseStorageGiB: 20,
  databaseMaxStorageGiB: 100,
  databaseConnectionsAlarm: 360,
  databaseMultiAz: true,
  databaseBackupDays: 7,
  keepData: true,
  logRetentionDays: RetentionDays.ONE_MONTH,
  domain: null,
  webRequestsPerFiveMinutes: 2000,
  apiRequestsPerSecond: 500,
  apiBurstRequests: 1000,
  rateLimitFactor: 1,
  gpuInstanceType: 'g4dn.xlarge',
  gpuMachinesMin: 2,
  gpuMachinesMax: 6,
  ffmpegAgentSlots: 16,
  ffmpegAgentsMin: 2,
  ffmpegAgentsMax: 4,
  manifestAgentSlots: 50,
  manifestAgentsMin: 2,
  manifestAgentsMax: 4,
  mediaWorkersMax: 2,
  importWorkersMin: 1,
  importWorkersMax: 2,
  mailFrom: null,
  alarmEmail: null,
  monthlyBudgetUsd: 3000,
  legacyRtmpUrl: null,
};

const prod: StageSettings = {
  account: null,
  region: 'us-east-1',
  availabilityZones: ['us-east-1a', 'us-east-1b', 'us-east-1d'],
  natGateways: 3,
  databaseInstanceClass: 'm8g.large',
  databaseStorageGiB: 100,
  databaseMaxStorageGiB: 1000,
  databaseConnectionsAlarm: 720,
  databaseMultiAz: true,
  databaseBackupDays: 35,
  keepData: true,
  logRetentionDays: RetentionDays.ONE_YEAR,
  domain: null,
  webRequestsPerFiveMinutes: 5000,
  apiRequestsPerSecond: 2000,
  apiBurstRequests: 4000,
  rateLimitFactor: 1,
  gpuInstanceType: 'g4dn.xlarge',
  gpuMachinesMin: 3,
  gpuMachinesMax: 50,
  ffmpegAgentSlots: 16,
  ffmpegAgentsMin: 3,
  ffmpegAgentsMax: 40,
  manifestAgentSlots: 50,
  manifestAgentsMin: 3,
  manifestAgentsMax: 40,
  mediaWorkersMax: 10,
  importWorkersMin: 1,
  importWorkersMax: 10,
  mailFrom: null,
  alarmEmail: null,
  monthlyBudgetUsd: 15_000,
  legacyRtmpUrl: null,
};

/** The shared stages, in the order a release goes through them. */
export const stages = { dev, staging, prod };

/**
 * The stages an app is to build, by name, every field checked.
 * @param ownStage the value of `-c stage=NAME`: then only that stage, an engineer's own, with the values of dev. Undefined builds the table.
 * @throws if the name is malformed or one of the table's, or a stage has a missing or malformed field; the message names the field
 */
export function stagesToBuild(ownStage: unknown): Readonly<Record<string, StageSettings>> {
  const chosen: Readonly<Record<string, StageSettings>> =
    ownStage === undefined ? stages : { [checkedName(ownStage)]: dev };
  for (const [name, settings] of Object.entries(chosen)) checkStage(name, settings);
  return chosen;
}

function checkedName(name: unknown): string {
  // It begins the names of stacks and parameters, and S3 and RDS make lower-case names of those.
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]{0,15}$/.test(name)) {
    throw new Error(
      `-c stage=NAME: NAME must be up to 16 lower-case letters, digits and hyphens, a letter first, not ${JSON.stringify(name)}`,
    );
  }
  if (name in stages)
    throw new Error(`-c stage=${name}: that is a shared stage; leave -c out and name its stacks, '${name}/*'`);
  return name;
}
