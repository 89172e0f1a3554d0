// The table of stages: the synth fails on a mistake and names it; an engineer's own stage has the values of dev.
import { App } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { completeSettings, presets } from '../../lib/presets.ts';
import { ServiceStage } from '../../lib/service-stage.ts';
import { checkStage, type StageSettings } from '../../lib/stage-settings.ts';
import { stages, stagesToBuild } from '../../lib/stages.ts';

const { dev } = stages;
const malformed: Record<keyof StageSettings, unknown> = {
  account: '12345',
  bootstrapQualifier: 'much-too-long',
  owner: '',
  costCenter: 'a;b',
  region: 'Frankfurt',
  availabilityZones: ['eu-west-1a', 'us-east-1b'],
  addedAvailabilityZone: 'us-east-1b',
  vpcCidr: '10.0.0.1/16',
  network: { vpcId: 'vpc-0' },
  hostedZoneRoleArn: 'role/dns',
  certificateArn: 'arn:aws:iam::123456789012:server-certificate/x',
  sealingKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/abc',
  mediaKeyArn: 'alias/media',
  recoveryKeyArn: 'alias/copies',
  logBucketName: 'Logs',
  alarmTopicArn: 'ops@example.com',
  permissionsBoundaryArn: 'Boundary',
  tags: { stage: 'mine' },
  natGateways: 0,
  nat: 'squid',
  databaseProxy: 'yes',
  containerInsights: 1,
  tracing: null,
  databaseInstanceClass: 'db.t4g.medium',
  databaseStorageGiB: 19.5,
  databaseMaxStorageGiB: dev.databaseStorageGiB,
  databaseMajorVersion: 14,
  databaseMajorUpgrade: 'yes',
  databaseMaintenanceWindow: 'Sunday 07:00',
  databaseBackupWindow: '24:00-24:30',
  databaseMultiAz: 'yes',
  databaseBackupDays: 36,
  recoveryRegion: 'Frankfurt',
  keepData: null,
  logRetentionDays: 15,
  domain: { name: 'https://example.com', hostedZoneId: 'Z1' },
  webRequestsPerFiveMinutes: 10,
  apiRequestsPerSecond: '100',
  apiBurstRequests: Number.NaN,
  rateLimitFactor: 0,
  limitFactor: 0.5,
  freeStoredGiB: -1,
  gpuInstanceType: 'p5.48xlarge',
  gpuMachinesMin: -1,
  gpuMachinesMax: dev.ffmpegAgentsMax + dev.mediaWorkersMax,
  gpuMegapixels: 497,
  ffmpegAgentsMin: -1,
  ffmpegAgentsMax: 0,
  manifestAgentNetworkMbps: 49,
  manifestAgentsMin: 0,
  manifestAgentsMax: null,
  mediaWorkersMax: 0,
  importWorkersMin: -1,
  importWorkersMax: 0,
  youtubeDailyUnits: 'ten thousand',
  mailFrom: 'ada@',
  alarmEmail: 'ada',
  monthlyBudgetUsd: 0.5,
  defaultStreamBackend: 'obs',
  streamBackendEdit: 'yes',
  legacyRtmpURL: 'https://example.com/live',
  liveIngest: { minTasks: 2, maxTasks: 1 },
  otlpEndpoint: 'http://example.com',
  syntheticStream: 'yes',
  ecsExec: 1,
};

describe('the fields of a stage', () => {
  test.each(Object.keys(dev))('%s cannot be missing', (field) => {
    expect(() => checkStage('mine', { ...dev, [field]: undefined })).toThrow(`stage "mine" lacks the setting ${field}`);
  });

  test.each(Object.entries(malformed))('%s cannot be %j', (field, value) => {
    expect(() => checkStage('mine', { ...dev, [field]: value })).toThrow(
      new RegExp(`stage "mine": ${field} must be .+, not `),
    );
  });
});

test.each(['me-south-1', 'eu-south-2', 'us-gov-west-1', 'cn-north-1'])('a stage cannot be in %s', (region) => {
  const zones = ['a', 'b'].map((zone) => region + zone);
  expect(() => checkStage('mine', { ...dev, region, availabilityZones: zones })).toThrow(
    'region must be an AWS region with CloudFront',
  );
});

describe('the choices of a stage', () => {
  const place = { region: 'eu-central-1', availabilityZones: ['eu-central-1a', 'eu-central-1b'] };

  test('are completed by a preset', () => {
    const settings = completeSettings({ ...place, preset: presets.prod, natGateways: 2, owner: undefined });
    expect(settings).toEqual({ ...presets.prod, ...place, natGateways: 2 });
    expect(completeSettings(place)).toEqual({ ...presets.staging, ...place });
  });

  test.each([
    ['a zone of another region', { ...place, region: 'us-east-1' }, /^stage "radio": availabilityZones must be/],
    ['too many agents', { ...place, manifestAgentsMax: 900 }, /^stage "radio": .+ transactions at once/],
  ])('cannot have %s', (_fault, choices, message) => {
    expect(() => new ServiceStage(new App(), 'radio', choices)).toThrow(message);
  });

  test('cannot be those of a stage with a malformed name', () => {
    expect(() => new ServiceStage(new App(), 'Radio', place)).toThrow('the name of a stage must be up to 16');
  });
});

test.each([
  ['sun:07:00-sun:07:20', '05:00-05:30', 'half an hour'],
  ['sun:07:00-sun:08:00', '05:00-05:10', 'half an hour'],
  ['sun:07:00-sun:08:00', '07:30-08:30', 'overlap'],
  ['sun:07:00-sun:08:00', '06:30-07:30', 'overlap'],
  ['sun:07:10-sun:07:50', '07:00-08:00', 'overlap'],
  ['sun:23:30-mon:00:30', '00:00-00:30', 'overlap'],
])('RDS cannot work at %s and make snapshots at %s', (databaseMaintenanceWindow, databaseBackupWindow, fault) => {
  expect(() => checkStage('mine', { ...dev, databaseMaintenanceWindow, databaseBackupWindow })).toThrow(fault);
});

test('RDS can work at one hour and make snapshots at the next, also around midnight', () => {
  const windows = { databaseMaintenanceWindow: 'sun:23:30-mon:00:30', databaseBackupWindow: '00:30-01:00' };
  expect(() => checkStage('mine', { ...dev, ...windows })).not.toThrow();
});

describe('copies in a second region', () => {
  const copied = { ...dev, account: '123456789012', recoveryRegion: 'us-west-2' };

  test.each(['us-gov-west-1', 'cn-north-1', dev.region])('cannot go to %s', (recoveryRegion) => {
    expect(() => checkStage('mine', { ...dev, recoveryRegion })).toThrow('recoveryRegion must be another AWS region');
  });

  test('take a key of that region, and none where there are no copies', () => {
    const recoveryKeyArn = 'arn:aws:kms:us-west-2:123456789012:key/abc';
    expect(() => checkStage('mine', { ...copied, recoveryKeyArn })).not.toThrow();
    expect(() => checkStage('mine', { ...copied, recoveryRegion: 'eu-west-1', recoveryKeyArn })).toThrow(
      'recoveryKeyArn must be an ARN of kms in eu-west-1',
    );
    expect(() => checkStage('mine', { ...dev, recoveryKeyArn })).toThrow('recoveryKeyArn takes a recoveryRegion');
  });

  test('take the account of the stage', () => {
    expect(() => checkStage('mine', { ...copied, account: null })).toThrow('recoveryRegion takes an account');
  });
});

describe('the stages of an app', () => {
  test('are those of the table', () => {
    expect(Object.keys(stagesToBuild(undefined))).toEqual(['dev', 'staging', 'prod']);
  });

  test('are only an engineer’s own, with the values of dev, when that is named', () => {
    expect(stagesToBuild('ada-1')).toEqual({ 'ada-1': dev });
  });

  test.each(['Ada', '1st', 'a_b', '', 'a-name-that-is-much-too-long', 'aws', 'ssm-1', true])(
    'cannot be called %j',
    (name) => {
      expect(() => stagesToBuild(name)).toThrow('-c stage=NAME');
    },
  );

  test('cannot be an engineer’s own under the name of a shared one', () => {
    expect(() => stagesToBuild('prod')).toThrow('shared stage');
  });
});
