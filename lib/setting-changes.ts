// The kinds of changes of settings on a stage that stands, and the refusal of those that would fail or lose data.
import type { StageSettings } from './stage-settings.ts';

/**
 * free: one deployment changes it. sequence: several deployments, through a value between. refused: some values, which
 * would fail half-way. creation: the value of the first deployment stays.
 */
export type ChangeKind = 'free' | 'sequence' | 'refused' | 'creation';

interface SettingChange<Value> {
  readonly kind: ChangeKind;
  /** Whether a deployment may change the value at once. Absent: any change is free, or none at creation only. */
  readonly isAllowed?: (standing: Value, wanted: Value) => boolean;
  /** Sentences for the engineer whose change is refused. Absent: the change is free. */
  readonly instead?: string;
}

const free = { kind: 'free' } as const;
const throughNull = (standing: unknown, wanted: unknown) => standing === null || wanted === null;

/** The kind of each setting. */
export const settingChanges: { readonly [Name in keyof StageSettings]: SettingChange<StageSettings[Name]> } = {
  account: {
    kind: 'creation',
    // Without an account, the stage is in that of the credentials, which the stacks then prove.
    isAllowed: throughNull,
    instead:
      'Another account has another stage: deploy it there, and restore a copy (lib/README.md, “Recover a stage”).',
  },
  bootstrapQualifier: free,
  owner: free,
  costCenter: free,
  region: {
    kind: 'creation',
    instead: 'Another region has another stage: recover it from the copies (lib/README.md, “Recover a stage”).',
  },
  availabilityZones: {
    kind: 'creation',
    instead:
      'CloudFormation would give the addresses of subnets in use to others. Add a third zone by ' +
      'addedAvailabilityZone, or create another stage.',
  },
  addedAvailabilityZone: {
    kind: 'refused',
    isAllowed: (standing) => standing === null,
    instead: 'The database and agents in the zone would lose their subnets. Keep it: a zone costs nothing.',
  },
  natGateways: free,
  nat: free,
  databaseProxy: free,
  containerInsights: free,
  tracing: free,
  databaseInstanceClass: free,
  databaseStorageGiB: {
    kind: 'refused',
    isAllowed: (standing, wanted) => wanted >= standing,
    instead: 'RDS cannot shrink storage. Restore the database into a smaller stage, or keep the size.',
  },
  databaseMaxStorageGiB: free,
  databaseMultiAz: free,
  databaseMajorVersion: {
    kind: 'refused',
    isAllowed: (standing, wanted) => wanted >= standing,
    instead:
      'RDS cannot go back to an older Postgres. Restore a snapshot from before the upgrade, or keep the version.',
  },
  databaseMajorUpgrade: free,
  databaseMaintenanceWindow: free,
  databaseBackupWindow: free,
  databaseBackupDays: free,
  recoveryRegion: {
    kind: 'sequence',
    isAllowed: throughNull,
    instead:
      'First deploy with recoveryRegion: null and recoveryKeyArn: null. The copies stay in the former region, in its ' +
      'stack Recovery, which you may delete once the new region has its own.',
  },
  keepData: free,
  logRetentionDays: free,
  domain: free,
  webRequestsPerFiveMinutes: free,
  apiRequestsPerSecond: free,
  apiBurstRequests: free,
  rateLimitFactor: free,
  limitFactor: free,
  freeStoredGiB: free,
  gpuInstanceType: free,
  gpuMachinesMin: free,
  gpuMachinesMax: free,
  gpuMegapixels: free,
  ffmpegAgentsMin: free,
  ffmpegAgentsMax: free,
  manifestAgentNetworkMbps: free,
  manifestAgentsMin: free,
  manifestAgentsMax: free,
  mediaWorkersMax: free,
  importWorkersMin: free,
  importWorkersMax: free,
  youtubeDailyUnits: free,
  mailFrom: free,
  alarmEmail: free,
  monthlyBudgetUsd: free,
  defaultStreamBackend: free,
  streamBackendEdit: free,
  legacyRtmpURL: free,
  liveIngest: free,
  otlpEndpoint: free,
  syntheticStream: free,
  ecsExec: free,
  vpcCidr: {
    kind: 'creation',
    instead: 'CloudFormation would replace the network under everything in it. Create another stage.',
  },
  network: {
    kind: 'creation',
    isAllowed: (standing, wanted) => standing?.vpcId === wanted?.vpcId && standing?.cidr === wanted?.cidr,
    instead: 'A database and its clients cannot move to another VPC. Create another stage.',
  },
  hostedZoneRoleArn: {
    kind: 'sequence',
    isAllowed: throughNull,
    instead: 'First deploy with domain: null and hostedZoneRoleArn: null. Then give the domain with its zone.',
  },
  certificateArn: free,
  sealingKeyArn: {
    kind: 'creation',
    instead: 'The key wraps the keys of all secrets: with another one, no secret could be read again.',
  },
  mediaKeyArn: {
    kind: 'creation',
    instead: 'Uploads and renditions are encrypted with the key that stands: with another one, none could be read.',
  },
  recoveryKeyArn: {
    kind: 'sequence',
    isAllowed: throughNull,
    instead:
      'First deploy with recoveryRegion: null and recoveryKeyArn: null. Copies keep the key that they were made with.',
  },
  logBucketName: free,
  alarmTopicArn: free,
  permissionsBoundaryArn: free,
  tags: free,
};

/** The settings of a stage that not every change is free of, as the stage keeps them. */
export type StandingSettings = Partial<StageSettings>;

/** The name of the parameter in which a stage keeps its settings. */
export const nameOfStandingSettings = (stage: string) => `/loop-streaming-platform/${stage}/settings`;

/** The parameter in which a stage keeps its settings: its name, and its value as JSON. */
export function standingParameter(stage: string, settings: StageSettings): { name: string; value: string } {
  const kept = Object.entries(settings).filter(([name]) => settingChanges[name as keyof StageSettings].kind !== 'free');
  return { name: nameOfStandingSettings(stage), value: JSON.stringify(Object.fromEntries(kept)) };
}

/** A change that a deployment must not make. */
export interface RefusedChange {
  readonly setting: keyof StageSettings;
  readonly standing: unknown;
  readonly wanted: unknown;
  readonly instead: string;
}

/** @param standing settings that the stage has kept; a release before a setting has not kept it */
export function refusedChanges(standing: StandingSettings, wanted: StageSettings): RefusedChange[] {
  const changed = Object.entries(standing).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(wanted[name as keyof StageSettings]),
  );
  return changed.flatMap(([name, value]) => {
    const setting = name as keyof StageSettings;
    const change = settingChanges[setting] as SettingChange<unknown> | undefined;
    if (change?.instead === undefined || change.isAllowed?.(value, wanted[setting])) return [];
    return { setting, standing: value, wanted: wanted[setting], instead: change.instead };
  });
}
