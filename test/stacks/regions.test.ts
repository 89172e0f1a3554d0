// Stages in other regions: each synthesizes, has a web ACL in CloudFront's region, and passes cdk-nag.
import { describe, expect, test } from 'vitest';
import type { StageSettings } from '../../lib/stage-settings.ts';
import { checkStage } from '../../lib/stage-settings.ts';
import { stages } from '../../lib/stages.ts';
import { nagFindings } from '../support/nag-findings.ts';
import { synthesizeStage, testApp } from '../support/synth.ts';

const places: Readonly<Record<string, Partial<StageSettings>>> = {
  'eu-central-1': { account: '123456789012', recoveryRegion: 'eu-west-1' },
  'ap-southeast-2': {},
};

const app = testApp();
const built = Object.entries(places).map(([region, more]) => {
  const availabilityZones = ['a', 'b', 'c'].map((zone) => region + zone);
  const settings: StageSettings = { ...stages.prod, region, availabilityZones, ...more };
  checkStage(region, settings);
  return [region, synthesizeStage(app, region, settings)] as const;
});

describe.each(built)('a stage in %s', (_region, stage) => {
  test('answers the public under one name, and judges every request', () => {
    const acls = stage.resources().filter(([, { Type }]) => Type === 'AWS::WAFv2::WebACL');
    expect(acls.map(([, { Properties }]) => [Properties.Scope, Properties.Rules.length])).toEqual([
      ['REGIONAL', 1],
      ['CLOUDFRONT', 7],
    ]);
  });
});

test('all of them pass the checks of cdk-nag', () => {
  expect(nagFindings(app)).toEqual([]);
});
