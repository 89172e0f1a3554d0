// Changes of settings of dev and prod that stand: what CloudFormation would do with each, from its templates.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAssembledStage } from '../../bin/deploy/template-changes/assembled-stage.ts';
import { templateChanges } from '../../bin/deploy/template-changes/template-changes.ts';
import { refusedChanges, standingParameter } from '../../lib/setting-changes.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const account = '111111111111';
const domain = { name: 'live.example.com', hostedZoneId: 'Z0123456789ABC' };
const kms = (region: string) => `arn:aws:kms:${region}:${account}:key/1`;
const liveIngest = { minTasks: 1, maxTasks: 1 };
const large = { databaseInstanceClass: 'm8g.xlarge' };
const moreStorage = { databaseStorageGiB: 200, databaseMaxStorageGiB: 2000 };
const twoZones = { availabilityZones: ['us-east-1a', 'us-east-1b'], natGateways: 1 };
const subnets = (role: string) => ['a', 'b', 'c'].map((zone) => `subnet-0123456789abcde${role}${zone}`);

type Settings = Partial<StageSettings>;
/** Settings before and after; the second is the table's if it is absent. */
type Change = readonly [name: string, before: Settings, after?: Settings];

const changes: readonly Change[] = [
  ['domain given', {}, { domain }],
  ['domain renamed', { domain }, { domain: { ...domain, name: 'tv.example.com' } }],
  ['domain taken back', { domain }],
  ['domain delegated', { domain }, { domain, hostedZoneRoleArn: `arn:aws:iam::${account}:role/dns` }],
  ['certificate given', { domain }, { domain, certificateArn: `arn:aws:acm:us-east-1:${account}:certificate/1` }],
  ['proxy on', { ...large, databaseProxy: false }, { ...large, databaseProxy: true }],
  ['proxy off', { ...large, databaseProxy: true }, { ...large, databaseProxy: false }],
  ['third zone added', twoZones, { ...twoZones, addedAvailabilityZone: 'us-east-1c' }],
  ['added zone taken away', { ...twoZones, addedAvailabilityZone: 'us-east-1c' }, twoZones],
  ['third zone', twoZones, thirdZone('us-east-1c')],
  ['zone taken away', thirdZone('us-east-1d'), twoZones],
  ['zone exchanged', thirdZone('us-east-1d'), thirdZone('us-east-1f')],
  ['addresses changed', {}, { vpcCidr: '10.20.0.0/16' }],
  ['network given', {}, { network: givenNetwork(), ...thirdZone('us-east-1d') }],
  ['NAT by gateways', { nat: 'instance', natGateways: 1 }, { nat: 'gateway', natGateways: 2 }],
  ['NAT by an instance', { nat: 'gateway', natGateways: 1 }, { nat: 'instance', natGateways: 1 }],
  ['sealing key given', {}, { sealingKeyArn: kms('us-east-1') }],
  ['media key given', {}, { mediaKeyArn: kms('us-east-1') }],
  ['copies begun', { account }, { account, recoveryRegion: 'us-west-2' }],
  ['copies ended', { account, recoveryRegion: 'us-west-2' }, { account }],
  ['copies moved', { account, recoveryRegion: 'us-west-2' }, { account, recoveryRegion: 'us-east-2' }],
  ['larger database', large, { databaseInstanceClass: 'm8g.2xlarge' }],
  ['more storage', {}, moreStorage],
  ['less storage', moreStorage, { ...moreStorage, databaseStorageGiB: 100 }],
  ['newer Postgres', {}, { databaseMajorVersion: 19, databaseMajorUpgrade: true }],
  ['older Postgres', {}, { databaseMajorVersion: 17 }],
  ['standby given', { databaseMultiAz: false }, { databaseMultiAz: true }],
  ['data kept', { keepData: false }, { keepData: true }],
  ['data not kept', { keepData: true }, { keepData: false }],
  ['sender of mails', {}, { mailFrom: 'live@example.com' }],
  ['receiver of alarms', {}, { alarmEmail: 'ops@example.com' }],
  ['topic of alarms given', {}, { alarmTopicArn: `arn:aws:sns:us-east-1:${account}:ops` }],
  ['logs elsewhere', {}, { logBucketName: 'company-log-archive' }],
  ['logs kept longer', {}, { logRetentionDays: 731 }],
  ['insights', { containerInsights: false }, { containerInsights: true }],
  ['traces', { tracing: false }, { tracing: true }],
  ['synthetic stream', { syntheticStream: false }, { syntheticStream: true }],
  ['no GPU machine kept', { ffmpegAgentsMin: 1, gpuMachinesMin: 1 }, { ffmpegAgentsMin: 0, gpuMachinesMin: 0 }],
  ['live ingest', {}, { liveIngest }],
  ['no live ingest', { liveIngest }],
  ['live ingest named', { liveIngest }, { liveIngest, domain }],
  ['other GPU machines', {}, { gpuInstanceType: 'g6.xlarge' }],
  ['commands in tasks', {}, { ecsExec: true }],
  ['collector of telemetry', {}, { otlpEndpoint: 'https://otel.example.com' }],
  ['boundary of roles', {}, { permissionsBoundaryArn: `arn:aws:iam::${account}:policy/boundary` }],
  ['tags', {}, { tags: { team: 'video' } }],
];

function thirdZone(zone: string): Settings {
  return { availabilityZones: ['us-east-1a', 'us-east-1b', zone], natGateways: 1 };
}

function givenNetwork(): StageSettings['network'] {
  return {
    vpcId: 'vpc-0123456789abcdef0',
    cidr: '10.30.0.0/16',
    publisherSubnetIds: subnets('a'),
    functionSubnetIds: subnets('b'),
    databaseSubnetIds: subnets('c'),
  };
}

function assembled(settings: StageSettings) {
  const app = testApp();
  synthesizeStage(app, 'stage', settings);
  return readAssembledStage(app.synth().directory, 'stage');
}

/** Lines of a change on a stage: the verdict on its settings, then the findings in its templates. */
function judged(table: StageSettings, [name, before, after = {}]: Change, unchanged: ReturnType<typeof assembled>) {
  const [standing, wanted] = [
    { ...table, ...before },
    { ...table, ...after },
  ];
  if (JSON.stringify(standing) === JSON.stringify(wanted)) return [`${name}: no change`];
  const kept = JSON.parse(standingParameter('stage', standing).value) as Settings;
  const refused = refusedChanges(kept, wanted).map(({ setting }) => setting);
  const isTable = (settings: Settings) => JSON.stringify({ ...table, ...settings }) === JSON.stringify(table);
  const old = isTable(before) ? unchanged : assembled(standing);
  const now = isTable(after) ? unchanged : assembled(wanted);
  const { findings, order } = templateChanges({ before: old.templates, after: now.templates, waits: now.waits });
  const fatal = findings.filter(({ effect }) => effect === 'refused' || effect === 'lost');
  const steps = order.first.length > 0 ? `, first ${order.first.join(', ')}` : '';
  const verdict = refused.length > 0 ? `refused by ${refused.join(', ')}` : `one deployment${steps}`;
  return [`${name}: ${verdict}`, ...fatal.map(({ effect, subject }) => `    ${effect} ${subject}`)];
}

test(
  'a change of a setting that is not refused is one deployment, and what it loses is known',
  { timeout: 900_000 },
  async () => {
    const lines = Object.entries({ dev: stages.dev, prod: stages.prod }).flatMap(([stage, table]) => {
      const unchanged = assembled(table);
      return [stage, ...changes.flatMap((change) => judged(table, change, unchanged)), ''];
    });
    await expect(lines.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'changed-settings.txt'));
    const failing = lines.filter(
      (line, index) => / one deployment/.test(line) && /^ +refused/.test(lines[index + 1] ?? ''),
    );
    expect(failing).toEqual([]);
  },
);
