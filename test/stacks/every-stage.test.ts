// Rules that hold for every stage, each by itself and all of them together.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { type SynthesizedStage, synthesizeStage, testApp } from '../support/synth.ts';
import { checkEveryStage } from './every-stage.ts';

const app = testApp();
const built = Object.entries(stages).map(([name, settings]): [string, SynthesizedStage, StageSettings] => [
  name,
  synthesizeStage(app, name, settings),
  settings,
]);

function typesByStack(stage: SynthesizedStage): string[][] {
  return [...stage.stacks.keys()].map((stackId) =>
    [...new Set(stage.resources(stackId).map(([, { Type }]) => Type))].sort(),
  );
}

describe.each(built)('stage %s', (_name, stage, settings) => {
  // The first read of a stage's templates takes seconds.
  beforeAll(() => void stage.resources(), 60_000);

  checkEveryStage(stage, test, settings);
});

// The cheap stage has resources that no other has. `templates.test.ts` has those of prod.
test('the templates of dev are the committed snapshots', async () => {
  const [, dev] = built.find(([name]) => name === 'dev')!;
  for (const stackId of dev.stacks.keys())
    await expect(`${JSON.stringify(dev.template(stackId), null, 1)}\n`).toMatchFileSnapshot(
      `templates/dev/${stackId.toLowerCase()}.json`,
    );
});

describe('all stages', () => {
  test('have the same types of resources, but for what a stage does without while nobody streams', () => {
    const [ofDev = [], ofStaging = [], ofProd = []] = built.map(([, stage]) => typesByStack(stage).flat());
    const more = (types: readonly string[], others: readonly string[]) =>
      types.filter((type) => !others.includes(type)).toSorted();
    // Alarms of the stack itself scale the agents on machines; in prod the queues' alarms are of the same type.
    expect([more(ofStaging, ofProd), more(ofProd, ofStaging)]).toEqual([[], []]);
    expect(more(ofDev, ofProd)).toEqual([
      'AWS::CloudFormation::WaitCondition',
      'AWS::CloudFormation::WaitConditionHandle',
      'AWS::EC2::Instance',
    ]);
    expect(more(ofProd, ofDev)).toEqual([
      'AWS::EC2::EIP',
      'AWS::EC2::NatGateway',
      'AWS::RDS::DBProxy',
      'AWS::RDS::DBProxyTargetGroup',
    ]);
  });

  test('keep state under these logical ids, as another id would be another, empty resource', () => {
    const stateful = new Set([
      'AWS::RDS::DBInstance',
      'AWS::S3::Bucket',
      'AWS::SecretsManager::Secret',
      'AWS::KMS::Key',
    ]);
    for (const [, stage] of built) {
      const ids = stage
        .resources()
        .filter(([, { Type }]) => stateful.has(Type))
        .map(([id]) => id);
      const isSynthetic = (id: string) => id.startsWith('SyntheticStream');
      expect(ids.filter(isSynthetic).length).toBeLessThanOrEqual(1);
      expect(ids.filter((id) => !isSynthetic(id))).toEqual([
        'DatabaseB269D8BB',
        'SealingKey98C9818D',
        'ServiceSecret94F8C8DC',
        'Key961B73FD',
        'AccessLogs8B620ECA',
        'Uploads4F6EB0FD',
        'PaymentProvidersF41DED83',
        'OriginGuardSecretABC57FAF',
        'Logs6819BB44',
        'SiteE53D7754',
        'NotificationsKey74C0825E',
      ]);
    }
  });

  // Retained resources usually cost money: a key is a dollar a month. One role is in the account's API Gateway
  // settings. The edge function cannot be deleted for some hours after the distribution, and costs nothing.
  test('keep only what costs nothing when they are deleted, where they do not keep data', () => {
    const [, dev] = built.find(([, { stage }]) => stage.node.id === Object.keys(stages)[0])!;
    const kept = dev.resources().filter(([, { DeletionPolicy }]) => DeletionPolicy && DeletionPolicy !== 'Delete');
    expect(kept.map(([, { Type }]) => Type)).toEqual([
      'AWS::IAM::Role',
      'AWS::ApiGateway::Account',
      'AWS::IAM::Role',
      'AWS::Lambda::Function',
      'AWS::Lambda::Version',
    ]);
  });

  test('are named in lib/stages.ts only', () => {
    const root = join(import.meta.dirname, '../..');
    const name = new RegExp(`(['"\`/])(${Object.keys(stages).join('|')})(?!/(?:xvd|null))['"\`/]`);
    const naming = globSync(['bin/app.ts', 'lib/**/*.ts', 'lambda/**/*.ts'], { cwd: root }).filter((file) =>
      name.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(naming.filter((file) => file !== join('lib', 'stages.ts'))).toEqual([]);
  });
});
