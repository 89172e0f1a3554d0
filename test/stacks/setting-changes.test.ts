// Changes of the settings of a stage that stands: each has a kind, and those that would fail or lose data are refused.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refusedChanges, settingChanges, standingParameter } from '../../lib/setting-changes.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';

const standing = (settings: Partial<StageSettings> = {}) =>
  JSON.parse(standingParameter('prod', { ...stages.prod, ...settings }).value) as Partial<StageSettings>;
const refused = (before: Partial<StageSettings>, after: Partial<StageSettings>) =>
  refusedChanges(standing(before), { ...stages.prod, ...after }).map(({ setting }) => setting);
const key = (id: string) => `arn:aws:kms:us-east-1:111111111111:key/${id}`;

describe('a setting of a stage that stands', () => {
  test.each<[string, Partial<StageSettings>, Partial<StageSettings>]>([
    ['availabilityZones', {}, { availabilityZones: ['us-east-1a', 'us-east-1b'] }],
    ['addedAvailabilityZone', { addedAvailabilityZone: 'us-east-1c' }, {}],
    ['availabilityZones', { availabilityZones: ['us-east-1a', 'us-east-1b'] }, {}],
    ['availabilityZones', {}, { availabilityZones: ['us-east-1b', 'us-east-1a', 'us-east-1d'] }],
    ['databaseStorageGiB', {}, { databaseStorageGiB: 50 }],
    ['databaseMajorVersion', {}, { databaseMajorVersion: 17 }],
    ['recoveryRegion', { recoveryRegion: 'us-west-2' }, { recoveryRegion: 'eu-west-1' }],
    ['region', {}, { region: 'eu-west-1' }],
    ['account', { account: '111111111111' }, { account: '222222222222' }],
    ['vpcCidr', {}, { vpcCidr: '10.1.0.0/16' }],
    ['sealingKeyArn', {}, { sealingKeyArn: key('a') }],
    ['mediaKeyArn', {}, { mediaKeyArn: key('a') }],
    ['mediaKeyArn', { mediaKeyArn: key('a') }, { mediaKeyArn: null }],
  ])('%s is not changed like this: %j to %j', (setting, before, after) => {
    expect(refused(before, after)).toEqual([setting]);
  });

  test.each<[Partial<StageSettings>, Partial<StageSettings>]>([
    [{}, { databaseStorageGiB: 200 }],
    [{}, { databaseMajorVersion: 19, databaseMajorUpgrade: true }],
    [{}, { recoveryRegion: 'us-west-2' }],
    [{ recoveryRegion: 'us-west-2' }, {}],
    [{}, { account: '111111111111' }],
    [{}, { domain: { name: 'live.example.com', hostedZoneId: 'Z0123456789' } }],
    [{}, { databaseProxy: false }],
    [{}, { liveIngest: { minTasks: 1, maxTasks: 2 } }],
    [{ liveIngest: { minTasks: 1, maxTasks: 2 } }, {}],
    [{}, { nat: 'instance', natGateways: 1, databaseMultiAz: false, syntheticStream: false, tracing: false }],
  ])('changes from %j to %j', (before, after) => {
    expect(refused(before, after)).toEqual([]);
  });

  test('is refused with what to do instead, a sentence or more', () => {
    const isSentence = (text = '') => /^[A-Z].{20,}\.$/.test(text);
    const unexplained = Object.entries(settingChanges).filter(
      ([, { kind, instead }]) => kind !== 'free' && !isSentence(instead),
    );
    expect(unexplained).toEqual([]);
  });

  test('that a release before has not kept is not compared', () => {
    const { mediaKeyArn: _, ...older } = standing();
    expect(refusedChanges(older, { ...stages.prod, mediaKeyArn: key('a') })).toEqual([]);
  });
});

test('the settings that a stage keeps fit into a parameter, with every given resource', () => {
  const network = {
    vpcId: 'vpc-0123456789abcdef0',
    cidr: '10.20.0.0/16',
    publisherSubnetIds: Array.from({ length: 12 }, () => 'subnet-0123456789abcdef0'),
    functionSubnetIds: Array.from({ length: 12 }, () => 'subnet-0123456789abcdef0'),
    databaseSubnetIds: Array.from({ length: 12 }, () => 'subnet-0123456789abcdef0'),
  };
  const given = { network, sealingKeyArn: key('a'.repeat(36)), mediaKeyArn: key('b'.repeat(36)) };
  // https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html
  expect(standingParameter('prod', { ...stages.prod, ...given }).value.length).toBeLessThan(4096);
});

test('lib/README.md has every setting, at its kind', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../lib/README.md'), 'utf8');
  const kinds = Map.groupBy(Object.entries(settingChanges), ([, { kind }]) => kind);
  for (const [kind, settings] of kinds) {
    const [, row = ''] = new RegExp(`^\\| ${kind} \\|.*?\\| (.*) \\|$`, 'm').exec(readme) ?? [];
    const listed = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    if (kind === 'free') expect([kind, row]).toEqual([kind, 'all others']);
    else expect([kind, listed]).toEqual([kind, settings.map(([name]) => name)]);
  }
});
