// Stages with settings that companies choose: every two choices meet, and each stage passes the template checks.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStage } from '../../lib/stage-settings.ts';
import { givenStages } from '../support/given-stages.ts';
import { knownTypes, typesIn } from '../support/known-types.ts';
import { nagFindings } from '../support/nag-findings.ts';
import { hasPython, pythonEnvironment } from '../support/python-environment.ts';
import { type Resource, synthesizeStage, testApp } from '../support/synth.ts';

const app = testApp();
const built = givenStages().map(([name, settings]) => [name, settings, synthesizeStage(app, name, settings)] as const);

describe.each(built)('the stage %s', (name, settings, stage) => {
  const resources = stage.resources();
  const ofType = (type: string): Resource[] =>
    resources.filter(([, { Type }]) => Type === type).map(([, resource]) => resource);

  test('has settings that are allowed', () => {
    expect(() => checkStage(name, settings)).not.toThrow();
  });

  test('makes what is not given, and nothing of what is', () => {
    const made = (type: string) => ofType(type).length > 0;
    expect(made('AWS::EC2::VPC')).toBe(settings.network === null);
    expect(made('AWS::EC2::NatGateway')).toBe(settings.network === null && settings.nat === 'gateway');
    expect(made('AWS::CertificateManager::Certificate')).toBe(
      settings.domain !== null && (settings.certificateArn === null || settings.liveIngest !== null),
    );
    expect(made('AWS::Route53::HostedZone')).toBe(settings.hostedZoneRoleArn !== null);
    expect(made('AWS::SNS::Topic')).toBe(settings.alarmTopicArn === null);
    expect(made('AWS::RDS::DBProxy')).toBe(settings.databaseProxy);
    const hasCopies = settings.recoveryRegion !== null;
    const keys = [settings.sealingKeyArn, settings.mediaKeyArn, settings.alarmTopicArn];
    if (hasCopies) keys.push(settings.recoveryKeyArn);
    expect(ofType('AWS::KMS::Key')).toHaveLength(keys.filter((given) => given === null).length);
    const logBuckets = settings.logBucketName === null ? 2 : 0;
    expect(ofType('AWS::S3::Bucket')).toHaveLength(
      logBuckets + 2 + (hasCopies ? 1 : 0) + Number(settings.syntheticStream),
    );
  });

  test('has the boundary and the tags that are given', () => {
    const roles = ofType('AWS::IAM::Role').map(({ Properties }) => Properties);
    for (const { PermissionsBoundary } of roles)
      expect(PermissionsBoundary ?? null).toBe(settings.permissionsBoundaryArn);
    const [database] = ofType('AWS::RDS::DBInstance');
    const tags = Object.fromEntries(
      database!.Properties.Tags.map(({ Key, Value }: { Key: string; Value: string }) => [Key, Value]),
    );
    expect(tags).toMatchObject({ ...settings.tags, stage: name });
  });

  test('has nothing whose cost nobody has decided', () => {
    const templates = [...stage.stacks.keys()].map((id) => stage.template(id));
    expect([...typesIn(templates)].filter((type) => !knownTypes.has(type))).toEqual([]);
  });
});

test('cdk-nag finds nothing that is not accepted', () => {
  expect(nagFindings(app)).toEqual([]);
  console.log(`${built.length} stages, in which every two choices meet`);
});

test.skipIf(!hasPython())('cfn-lint finds no error in a stage of each place', async () => {
  const programs = await pythonEnvironment('cfn-lint==1.58.0');
  const { directory } = app.synth();
  const byRegion = new Map(
    built.map(([name, { region, hostedZoneRoleArn }]) => [`${region} ${hostedZoneRoleArn}`, name] as const),
  );
  const templates = [...byRegion.values()].flatMap((name) =>
    globSync(`**/assembly-${name}/*.template.json`, { cwd: directory }).map((path) => join(directory, path)),
  );
  expect(templates.length).toBeGreaterThan(40);
  // Same command as in template-linters.test.ts.
  const command = [join(programs, 'cfn-lint'), '--ignore-checks', 'W', '--', ...templates];
  const { status, stdout } = spawnSync(join(programs, 'python'), command, { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});
