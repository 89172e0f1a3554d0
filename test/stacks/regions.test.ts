// Stages in other regions and partitions: each synthesizes, and its templates name no other partition.
import { describe, expect, test } from 'vitest';
import { partitionOf } from '../../lambda/domain/aws-partition.ts';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { checkStage } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { nagFindings } from '../support/nag-findings.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const gateway = {
  frontDoor: 'gateway',
  domain: { name: 'live.example.com', hostedZoneId: 'Z0123456789' },
} satisfies Partial<StageSettings>;
const copiedTo = (recoveryRegion: string) => ({ account: '123456789012', recoveryRegion });
const places: Readonly<Record<string, Partial<StageSettings>>> = {
  'eu-central-1': copiedTo('eu-west-1'),
  'ap-southeast-2': {},
  'us-gov-west-1': { ...gateway, monthlyBudgetUsd: null, ...copiedTo('us-gov-east-1') },
  'cn-north-1': { ...gateway, ...copiedTo('cn-northwest-1') },
};

const app = testApp();
const built = Object.entries(places).map(([region, more]) => {
  const availabilityZones = ['a', 'b', 'c'].map((zone) => region + zone);
  const settings: StageSettings = { ...stages.prod, region, availabilityZones, ...more };
  checkStage(region, settings);
  return [region, synthesizeStage(app, region, settings)] as const;
});

describe.each(built)('a stage in %s', (region, stage) => {
  const [types, templates] = [new Set<string>(), [] as string[]];
  for (const stackId of stage.stacks.keys()) {
    const template = stage.template(stackId);
    for (const { Type } of Object.values(template.Resources)) types.add(Type);
    templates.push(JSON.stringify(template));
  }

  test('names no other partition', () => {
    const arns = templates.flatMap((template) => [...template.matchAll(/arn:(aws[a-z-]*):/g)].map(([, name]) => name));
    expect(arns.length).toBeGreaterThan(0);
    expect(new Set(arns)).toEqual(new Set([partitionOf(region)]));
  });

  test('has only what there is', () => {
    const elsewhere = partitionOf(region) !== 'aws';
    const lacking = ['AWS::CloudFront::Distribution', ...(region.startsWith('us-gov') ? ['AWS::Budgets::Budget'] : [])];
    for (const type of lacking) expect([type, types.has(type)]).toEqual([type, !elsewhere]);
    expect(types.has('AWS::SES::EmailIdentity')).toBe(region.startsWith('us-gov'));
  });

  test('answers the public under one name, and judges every request', () => {
    const acls = stage.resources().filter(([, { Type }]) => Type === 'AWS::WAFv2::WebACL');
    const counted = acls.map(([, { Properties }]) => [Properties.Scope, Properties.Rules.length]);
    if (partitionOf(region) === 'aws')
      expect(counted).toEqual([
        ['REGIONAL', 1],
        ['CLOUDFRONT', 5],
      ]);
    else {
      expect(counted).toEqual([['REGIONAL', 5]]);
      const [, api] = stage.resources('Api').find(([, { Type }]) => Type === 'AWS::ApiGateway::RestApi')!;
      expect(api.Properties.DisableExecuteApiEndpoint).toBe(true);
      expect(types).toContain('AWS::ApiGateway::BasePathMapping');
    }
  });
});

test('all of them pass the checks of cdk-nag', () => {
  expect(nagFindings(app)).toEqual([]);
});
